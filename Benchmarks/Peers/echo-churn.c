// A load client with short connections: connect, one message, its echo, close, on a fixed number of
// connections at a time. One thread, epoll. Verifies every byte. Measures the server's CPU time
// over exactly the measured period.
//
// echo-churn --port P [--connections 64] [--warmup 0.5] [--seconds 2] [--server-pid PID]
// Prints key=value lines.
#define _GNU_SOURCE
#include "load.h"

enum { SIZE = 64 };

/// Connects and sends the message at once, which succeeds on loopback.
static void begin(struct load *load) {
    int descriptor = connect_to(load->port);
    set_non_blocking(descriptor);
    CHECK(send(descriptor, message(load, descriptor, 0), SIZE, MSG_NOSIGNAL) == SIZE, "send");
    struct epoll_event event = {.events = EPOLLIN, .data.fd = descriptor};
    CHECK(epoll_ctl(load->epoll, EPOLL_CTL_ADD, descriptor, &event) == 0, "epoll_ctl");
}

static void finish(struct load *load, const struct epoll_event *event) {
    int descriptor = event->data.fd;
    unsigned char echo[SIZE + 1];
    ssize_t count = recv(descriptor, echo, sizeof echo, 0);
    if (count < 0 && (errno == EAGAIN || errno == EINTR)) return;
    CHECK(count == SIZE, "the echo in one piece");
    require(memcmp(echo, message(load, descriptor, 0), SIZE) == 0, "wrong bytes");
    close(descriptor);
    load->served++;
    begin(load);
}

int main(int count, char **arguments) {
    static struct load load = {.serve = finish, .connection_count = 64, .size = SIZE};
    prepare_load(&load, count, arguments);
    for (int i = 0; i < load.connection_count; i++) begin(&load);
    warm_up(&load);
    struct period period = measure(&load);
    printf("messages=%llu\n", (unsigned long long)load.served);
    print_period(&period, (double)load.served, NULL);
}
