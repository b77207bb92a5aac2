// A plain epoll server for much data: one thread, level-triggered, recv and send inline.
//
// epoll-bulk --port P --mode sink|source|broadcast
//
// sink: discards what it receives. source: sends the text of RFC 864 without end. broadcast: sends
// what one connection sends to all others, and keeps what a socket has no room for.
#define _GNU_SOURCE
#include "characters.h"
#include "peer.h"
#include <sys/epoll.h>

// A turn ends after so many bytes, so that other connections get theirs.
enum { PIECE = 65536, PIECES_PER_TURN = 16, MOST_DESCRIPTORS = 65536 };

// Page-aligned: some processors copy twice as fast to such an address.
static char buffer[PIECE] __attribute__((aligned(4096)));
// Whole periods, 63,270 bytes, so that all pieces begin at the page's start: twice as fast.
static char text[PIECE / TEXT_PERIOD * TEXT_PERIOD] __attribute__((aligned(4096)));

// By descriptor.
static struct connection {
    size_t position;     // in the text
    char *rest;          // the bytes that the socket had no room for; NULL: none
    size_t sent, count;  // of the rest
    int place;           // among the members
} connections[MOST_DESCRIPTORS];

static int members[MOST_DESCRIPTORS], member_count;

static void change(int epoll, int operation, int descriptor, uint32_t events) {
    struct epoll_event event = {.events = events, .data.fd = descriptor};
    CHECK(epoll_ctl(epoll, operation, descriptor, &event) == 0, "epoll_ctl");
}

static void accept_all(int epoll, int listener, uint32_t events) {
    for (int descriptor; (descriptor = accept_one(listener)) >= 0;) {
        CHECK(descriptor < MOST_DESCRIPTORS, "more connections than the table holds");
        connections[descriptor] = (struct connection){.place = member_count};
        members[member_count++] = descriptor;
        change(epoll, EPOLL_CTL_ADD, descriptor, events);
    }
}

static void end(int epoll, int descriptor) {
    struct connection *connection = &connections[descriptor];
    int last = members[--member_count];
    members[connection->place] = last;
    connections[last].place = connection->place;
    free(connection->rest);
    change(epoll, EPOLL_CTL_DEL, descriptor, 0);
    close(descriptor);
}

/// Returns the number of bytes received, 0 if there are none, or -1 at the end and after an error.
static ssize_t receive_some(int descriptor) {
    ssize_t count;
    do {
        count = recv(descriptor, buffer, sizeof buffer, 0);
    } while (count < 0 && errno == EINTR);
    if (count == 0) return -1;
    return count < 0 && errno == EAGAIN ? 0 : count;
}

// MARK: sink and source

static void discard(int epoll, int descriptor) {
    ssize_t count = PIECE;
    for (int i = 0; i < PIECES_PER_TURN && count == PIECE; i++) count = receive_some(descriptor);
    if (count < 0) end(epoll, descriptor);
}

static void generate(int epoll, int descriptor) {
    struct connection *connection = &connections[descriptor];
    for (int i = 0; i < PIECES_PER_TURN; i++) {
        const char *bytes = text + connection->position;
        ssize_t sent = send_some(descriptor, bytes, sizeof text - connection->position);
        if (sent < 0) {
            end(epoll, descriptor);
            return;
        }
        connection->position += (size_t)sent;
        if (connection->position < sizeof text) return;
        connection->position = 0;
    }
}

// MARK: broadcast

static void keep(int epoll, int descriptor, const char *bytes, size_t count) {
    struct connection *connection = &connections[descriptor];
    if (connection->rest == NULL) change(epoll, EPOLL_CTL_MOD, descriptor, EPOLLIN | EPOLLOUT);
    size_t kept = connection->count - connection->sent;
    if (connection->sent > 0) memmove(connection->rest, connection->rest + connection->sent, kept);
    connection->rest = realloc(connection->rest, kept + count);
    CHECK(connection->rest != NULL, "realloc");
    memcpy(connection->rest + kept, bytes, count);
    connection->sent = 0;
    connection->count = kept + count;
}

/// Returns 0 after an error.
static int send_rest(int epoll, int descriptor) {
    struct connection *connection = &connections[descriptor];
    ssize_t sent = send_some(
        descriptor, connection->rest + connection->sent, connection->count - connection->sent);
    if (sent < 0) return 0;
    connection->sent += (size_t)sent;
    if (connection->sent < connection->count) return 1;
    free(connection->rest);
    connection->rest = NULL;
    connection->sent = connection->count = 0;
    change(epoll, EPOLL_CTL_MOD, descriptor, EPOLLIN);
    return 1;
}

static void forward(int epoll, int descriptor, uint32_t events) {
    if (events & EPOLLOUT && !send_rest(epoll, descriptor)) {
        end(epoll, descriptor);
        return;
    }
    ssize_t count = events & ~(uint32_t)EPOLLOUT ? receive_some(descriptor) : 0;
    if (count < 0) end(epoll, descriptor);
    for (int i = 0; i < member_count && count > 0; i++) {
        int other = members[i];
        if (other == descriptor) continue;
        ssize_t sent = connections[other].rest ? 0 : send_some(other, buffer, (size_t)count);
        // An error is also the next event of that connection, which ends it.
        if (sent >= 0 && sent < count) keep(epoll, other, buffer + sent, (size_t)(count - sent));
    }
}

int main(int count, char **arguments) {
    int is_sink = has_option(count, arguments, "sink");
    int is_source = has_option(count, arguments, "source");
    errno = EINVAL;
    CHECK(is_sink || is_source || has_option(count, arguments, "broadcast"), "--mode");
    fill_with_text(text, sizeof text);
    int listener = listen_and_announce((int)option(count, arguments, "--port", 0), SOCK_NONBLOCK);
    int epoll = epoll_create1(EPOLL_CLOEXEC);
    CHECK(epoll >= 0, "epoll_create1");
    change(epoll, EPOLL_CTL_ADD, listener, EPOLLIN);
    for (;;) {
        struct epoll_event events[EVENTS_PER_WAIT];
        int ready = epoll_wait(epoll, events, EVENTS_PER_WAIT, -1);
        CHECK(ready >= 0 || errno == EINTR, "epoll_wait");
        for (int i = 0; i < ready; i++) {
            int descriptor = events[i].data.fd;
            if (descriptor == listener) {
                accept_all(epoll, listener, is_source ? EPOLLOUT : EPOLLIN);
            } else if (is_sink) {
                discard(epoll, descriptor);
            } else if (is_source) {
                generate(epoll, descriptor);
            } else {
                forward(epoll, descriptor, events[i].events);
            }
        }
    }
}
