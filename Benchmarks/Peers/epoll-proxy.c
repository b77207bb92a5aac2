// The plain epoll proxy: one thread, level-triggered, recv and send inline. What a socket has no
// room for is kept, and nothing more is received from the other side until it is sent. An end of
// one side's stream is passed on once its bytes are.
//
// epoll-proxy --to P [--port P]
#define _GNU_SOURCE
#include "peer.h"
#include <sys/epoll.h>

enum { BUFFER_BYTES = 65536 };

// Page-aligned: some processors copy twice as fast to such an address.
static char buffer[BUFFER_BYTES] __attribute__((aligned(4096)));

// One connection of a pair.
struct side {
    struct side *other;
    int descriptor;
    uint32_t events;
    int has_ended;        // the peer sends nothing more
    char *rest;           // bytes that the socket had no room for; NULL: none
    size_t sent, count;   // of the rest
    struct side *next_closed;
};

// Freed after all events of a wait, which may name them.
static struct side *closed;

static void watch(int epoll, struct side *side, uint32_t events) {
    if (side->events == events) return;
    struct epoll_event event = {.events = events, .data.ptr = side};
    CHECK(epoll_ctl(epoll, EPOLL_CTL_MOD, side->descriptor, &event) == 0, "epoll_ctl");
    side->events = events;
}

// What is waited for: bytes, unless they have ended or the other side holds some; and room.
static void update(int epoll, struct side *side) {
    uint32_t readable = side->has_ended || side->other->rest ? 0 : EPOLLIN;
    uint32_t events = readable | (side->rest ? EPOLLOUT : 0);
    // The ends of both directions are always reported; without other events, once.
    watch(epoll, side, events ? events : EPOLLET);
}

static void close_pair(int epoll, struct side *side) {
    if (side->descriptor < 0) return;
    for (int i = 0; i < 2; i++, side = side->other) {
        CHECK(epoll_ctl(epoll, EPOLL_CTL_DEL, side->descriptor, NULL) == 0, "epoll_ctl");
        close(side->descriptor);
        side->descriptor = -1;
        free(side->rest);
        side->next_closed = closed;
        closed = side;
    }
}

// The side's stream has ended, and the other side has all of its bytes.
static void pass_end_on(int epoll, struct side *side) {
    struct side *other = side->other;
    if (!other->has_ended) {
        shutdown(other->descriptor, SHUT_WR);
    } else if (side->rest == NULL) {
        close_pair(epoll, side);
    }
}

static void send_rest(int epoll, struct side *side) {
    ssize_t sent = send_some(side->descriptor, side->rest + side->sent, side->count - side->sent);
    if (sent < 0) {
        close_pair(epoll, side);
        return;
    }
    side->sent += (size_t)sent;
    if (side->sent < side->count) return;
    free(side->rest);
    side->rest = NULL;
    update(epoll, side);
    update(epoll, side->other);
    if (side->other->has_ended) pass_end_on(epoll, side->other);
}

static void forward(int epoll, struct side *side) {
    struct side *other = side->other;
    ssize_t count = recv(side->descriptor, buffer, sizeof buffer, 0);
    if (count < 0) {
        if (errno != EAGAIN && errno != EINTR) close_pair(epoll, side);
        return;
    }
    if (count == 0) {
        side->has_ended = 1;
        update(epoll, side);
        pass_end_on(epoll, side);
        return;
    }
    ssize_t sent = send_some(other->descriptor, buffer, (size_t)count);
    if (sent < 0) {
        close_pair(epoll, side);
    } else if (sent < count) {
        other->count = (size_t)(count - sent);
        other->sent = 0;
        other->rest = malloc(other->count);
        CHECK(other->rest != NULL, "malloc");
        memcpy(other->rest, buffer + sent, other->count);
        update(epoll, side);
        update(epoll, other);
    }
}

static void handle(int epoll, struct side *side, uint32_t events) {
    if (side->rest && events & (EPOLLOUT | EPOLLERR | EPOLLHUP)) send_rest(epoll, side);
    if (side->descriptor < 0) return;
    if (side->events & EPOLLIN && events & EPOLLIN) {
        forward(epoll, side);
    } else if (events & EPOLLERR) {
        close_pair(epoll, side);
    }
}

static struct side *make_side(int epoll, int descriptor) {
    struct side *side = calloc(1, sizeof *side);
    CHECK(side != NULL, "calloc");
    side->descriptor = descriptor;
    side->events = EPOLLIN;
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = side};
    CHECK(epoll_ctl(epoll, EPOLL_CTL_ADD, descriptor, &event) == 0, "epoll_ctl");
    return side;
}

static void accept_all(int epoll, int listener, const struct sockaddr_in *upstream) {
    for (int client; (client = accept_one(listener)) >= 0;) {
        int server = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
        CHECK(server >= 0, "socket");
        set_no_delay(server);
        // Until it is connected, a send finds no room; a failure is found by the next receive.
        int result = connect(server, (const struct sockaddr *)upstream, sizeof *upstream);
        CHECK(result == 0 || errno == EINPROGRESS, "connect");
        struct side *first = make_side(epoll, client);
        first->other = make_side(epoll, server);
        first->other->other = first;
    }
}

int main(int count, char **arguments) {
    struct sockaddr_in upstream = loopback((int)option(count, arguments, "--to", 0));
    int listener = listen_and_announce((int)option(count, arguments, "--port", 0), SOCK_NONBLOCK);
    int epoll = epoll_create1(EPOLL_CLOEXEC);
    CHECK(epoll >= 0, "epoll_create1");
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = NULL};
    CHECK(epoll_ctl(epoll, EPOLL_CTL_ADD, listener, &event) == 0, "epoll_ctl");
    for (;;) {
        struct epoll_event events[EVENTS_PER_WAIT];
        int ready = epoll_wait(epoll, events, EVENTS_PER_WAIT, -1);
        CHECK(ready >= 0 || errno == EINTR, "epoll_wait");
        for (int i = 0; i < ready; i++) {
            struct side *side = events[i].data.ptr;
            if (side == NULL) {
                accept_all(epoll, listener, &upstream);
            } else if (side->descriptor >= 0) {
                handle(epoll, side, events[i].events);
            }
        }
        while (closed != NULL) {
            struct side *next = closed->next_closed;
            free(closed);
            closed = next;
        }
    }
}
