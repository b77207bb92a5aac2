// The plain epoll echo server: one thread, level-triggered, recv and send inline. With --spin it
// polls instead of sleeping.
//
// epoll-echo --port P [--spin]
#define _GNU_SOURCE
#include "peer.h"
#include <poll.h>
#include <sys/epoll.h>

enum { EVENTS_PER_WAIT = 256, BUFFER_BYTES = 4096 };

static void accept_all(int epoll, int listener) {
    for (;;) {
        int connection = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
        if (connection < 0) {
            CHECK(errno == EAGAIN || errno == EINTR || errno == ECONNABORTED, "accept4");
            return;
        }
        set_no_delay(connection);
        struct epoll_event event = {.events = EPOLLIN, .data.fd = connection};
        CHECK(epoll_ctl(epoll, EPOLL_CTL_ADD, connection, &event) == 0, "epoll_ctl");
    }
}

/// Blocks while the socket is full, which suffices for short messages.
static int send_all(int connection, const char *bytes, size_t count) {
    while (count > 0) {
        ssize_t sent = send(connection, bytes, count, MSG_NOSIGNAL);
        if (sent >= 0) {
            bytes += sent;
            count -= (size_t)sent;
        } else if (errno == EAGAIN) {
            struct pollfd writable = {.fd = connection, .events = POLLOUT};
            poll(&writable, 1, -1);
        } else if (errno != EINTR) {
            return -1;
        }
    }
    return 0;
}

static void echo(int connection) {
    char buffer[BUFFER_BYTES];
    ssize_t count = recv(connection, buffer, sizeof buffer, 0);
    if (count < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (count <= 0 || send_all(connection, buffer, (size_t)count) < 0) close(connection);
}

int main(int count, char **arguments) {
    int listener = listen_and_announce((int)option(count, arguments, "--port", 0), SOCK_NONBLOCK);
    int epoll = epoll_create1(EPOLL_CLOEXEC);
    CHECK(epoll >= 0, "epoll_create1");
    struct epoll_event event = {.events = EPOLLIN, .data.fd = listener};
    CHECK(epoll_ctl(epoll, EPOLL_CTL_ADD, listener, &event) == 0, "epoll_ctl");
    int timeout = has_option(count, arguments, "--spin") ? 0 : -1;
    for (;;) {
        struct epoll_event events[EVENTS_PER_WAIT];
        int ready = epoll_wait(epoll, events, EVENTS_PER_WAIT, timeout);
        CHECK(ready >= 0 || errno == EINTR, "epoll_wait");
        for (int i = 0; i < ready; i++) {
            if (events[i].data.fd == listener) {
                accept_all(epoll, listener);
            } else {
                echo(events[i].data.fd);
            }
        }
    }
}
