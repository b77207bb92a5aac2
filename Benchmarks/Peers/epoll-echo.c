// The plain epoll echo server: one thread, level-triggered, recv and send inline. What a socket has
// no room for is kept, and nothing more is received from its connection until it is sent. With
// --spin it polls instead of sleeping.
//
// epoll-echo --port P [--spin]
#define _GNU_SOURCE
#include "peer.h"
#include <sys/epoll.h>

enum { BUFFER_BYTES = 65536, MOST_DESCRIPTORS = 65536 };

// Page-aligned: some processors copy twice as fast to such an address.
static char buffer[BUFFER_BYTES] __attribute__((aligned(4096)));

// The bytes that a socket had no room for, by descriptor; NULL: none.
static struct rest {
    char *bytes;
    size_t sent, count;
} rests[MOST_DESCRIPTORS];

static void change(int epoll, int operation, int connection, uint32_t events) {
    struct epoll_event event = {.events = events, .data.fd = connection};
    CHECK(epoll_ctl(epoll, operation, connection, &event) == 0, "epoll_ctl");
}

static void accept_all(int epoll, int listener) {
    for (int connection; (connection = accept_one(listener)) >= 0;) {
        CHECK(connection < MOST_DESCRIPTORS, "more connections than the table holds");
        change(epoll, EPOLL_CTL_ADD, connection, EPOLLIN);
    }
}

static void end(int epoll, int connection) {
    free(rests[connection].bytes);
    rests[connection].bytes = NULL;
    change(epoll, EPOLL_CTL_DEL, connection, 0);
    close(connection);
}

static void send_rest(int epoll, int connection) {
    struct rest *rest = &rests[connection];
    ssize_t sent = send_some(connection, rest->bytes + rest->sent, rest->count - rest->sent);
    if (sent < 0) {
        end(epoll, connection);
        return;
    }
    rest->sent += (size_t)sent;
    if (rest->sent < rest->count) return;
    free(rest->bytes);
    rest->bytes = NULL;
    change(epoll, EPOLL_CTL_MOD, connection, EPOLLIN);
}

static void echo(int epoll, int connection) {
    if (rests[connection].bytes != NULL) {
        send_rest(epoll, connection);
        return;
    }
    ssize_t count = recv(connection, buffer, sizeof buffer, 0);
    if (count < 0 && (errno == EAGAIN || errno == EINTR)) return;
    ssize_t sent = count > 0 ? send_some(connection, buffer, (size_t)count) : -1;
    if (sent < 0) {
        end(epoll, connection);
    } else if (sent < count) {
        struct rest rest = {.count = (size_t)(count - sent)};
        rest.bytes = malloc(rest.count);
        CHECK(rest.bytes != NULL, "malloc");
        memcpy(rest.bytes, buffer + sent, rest.count);
        rests[connection] = rest;
        change(epoll, EPOLL_CTL_MOD, connection, EPOLLOUT);
    }
}

int main(int count, char **arguments) {
    int listener = listen_and_announce((int)option(count, arguments, "--port", 0), SOCK_NONBLOCK);
    int epoll = epoll_create1(EPOLL_CLOEXEC);
    CHECK(epoll >= 0, "epoll_create1");
    change(epoll, EPOLL_CTL_ADD, listener, EPOLLIN);
    int timeout = has_option(count, arguments, "--spin") ? 0 : -1;
    for (;;) {
        struct epoll_event events[EVENTS_PER_WAIT];
        int ready = epoll_wait(epoll, events, EVENTS_PER_WAIT, timeout);
        CHECK(ready >= 0 || errno == EINTR, "epoll_wait");
        for (int i = 0; i < ready; i++) {
            if (events[i].data.fd == listener) {
                accept_all(epoll, listener);
            } else {
                echo(epoll, events[i].data.fd);
            }
        }
    }
}
