// A load client with short connections: connect, one message, its echo, close, on a fixed number of
// connections at a time. One thread, epoll. Verifies every byte. Measures the server's CPU time
// over exactly the measured period.
//
// echo-churn --port P [--connections 64] [--warmup 0.5] [--seconds 2] [--server-pid PID]
// Prints key=value lines.
#define _GNU_SOURCE
#include "observed.h"
#include "peer.h"
#include <sys/epoll.h>

enum { SIZE = 64 };

struct load {
    int port, epoll;
    uint64_t served;
};

/// Connects and sends the message at once, which succeeds on loopback.
static void begin(struct load *load) {
    int descriptor = connect_to(load->port);
    set_non_blocking(descriptor);
    unsigned char message[SIZE];
    for (int i = 0; i < SIZE; i++) message[i] = (unsigned char)(descriptor * 31 + i);
    CHECK(send(descriptor, message, SIZE, MSG_NOSIGNAL) == SIZE, "send");
    struct epoll_event event = {.events = EPOLLIN, .data.fd = descriptor};
    CHECK(epoll_ctl(load->epoll, EPOLL_CTL_ADD, descriptor, &event) == 0, "epoll_ctl");
}

static void finish(struct load *load, int descriptor) {
    unsigned char echo[SIZE + 1];
    ssize_t count = recv(descriptor, echo, sizeof echo, 0);
    if (count < 0 && (errno == EAGAIN || errno == EINTR)) return;
    CHECK(count == SIZE, "the echo in one piece");
    for (int i = 0; i < SIZE; i++) {
        CHECK(echo[i] == (unsigned char)(descriptor * 31 + i), "the right bytes");
    }
    close(descriptor);
    load->served++;
    begin(load);
}

static uint64_t run_until(struct load *load, uint64_t deadline) {
    for (;;) {
        uint64_t now = now_nanoseconds();
        if (now >= deadline) return now;
        struct epoll_event events[EVENTS_PER_WAIT];
        int milliseconds = (int)((deadline - now + 999999) / 1000000);
        int ready = epoll_wait(load->epoll, events, EVENTS_PER_WAIT, milliseconds);
        CHECK(ready >= 0 || errno == EINTR, "epoll_wait");
        for (int i = 0; i < ready; i++) finish(load, events[i].data.fd);
    }
}

int main(int count, char **arguments) {
    struct load load = {.port = (int)option(count, arguments, "--port", 0)};
    int connections = (int)option(count, arguments, "--connections", 64);
    double warmup = option(count, arguments, "--warmup", 0.5);
    double seconds = option(count, arguments, "--seconds", 2);
    pid_t server = (pid_t)option(count, arguments, "--server-pid", 0);
    errno = EINVAL;
    CHECK(load.port > 0 && connections > 0 && seconds > 0, "options");
    load.epoll = epoll_create1(EPOLL_CLOEXEC);
    CHECK(load.epoll >= 0, "epoll_create1");
    for (int i = 0; i < connections; i++) begin(&load);
    run_until(&load, now_nanoseconds() + (uint64_t)(warmup * 1e9));
    struct observed before = observe(server);
    uint64_t start = now_nanoseconds(), own_start = clock_nanoseconds(CLOCK_PROCESS_CPUTIME_ID);
    load.served = 0;
    uint64_t end = run_until(&load, start + (uint64_t)(seconds * 1e9));
    struct observed spent = observed_since(before, observe(server));
    uint64_t own_spent = clock_nanoseconds(CLOCK_PROCESS_CPUTIME_ID) - own_start;
    double served = load.served > 0 ? (double)load.served : 1;
    printf("messages=%llu\n", (unsigned long long)load.served);
    printf("rate=%.1f\n", (double)load.served / ((double)(end - start) / 1e9));
    printf("cpu_us=%.4f\n", (double)spent.cpu_nanoseconds / 1e3 / served);
    printf("client_cpu_us=%.4f\n", (double)own_spent / 1e3 / served);
    printf("switches=%.4f\n", (double)spent.switches / served);
    printf("threads=%lld\n", (long long)spent.threads);
}
