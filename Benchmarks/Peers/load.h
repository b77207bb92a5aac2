// Shared by udp-load and tls-load: one thread, epoll, closed loop, one message of each connection
// in flight. Measures the server's CPU time over exactly the measured period.
#ifndef LOAD_H
#define LOAD_H

#include "histogram.h"
#include "observed.h"
#include "peer.h"
#include <sys/epoll.h>

struct load {
    int port, connection_count, epoll;
    size_t size;
    void (*serve)(struct load *load, void *connection);  // called when it is ready
    pid_t server;
    double warmup, seconds;
    unsigned char *pattern;  // the byte values 0 to 255, repeated
    uint64_t messages;
    struct histogram latencies;
};

/// Reads the options, and makes what all clients need.
static inline void prepare_load(struct load *load, int count, char **arguments) {
    load->port = (int)option(count, arguments, "--port", 0);
    load->connection_count = (int)option(count, arguments, "--connections", 64);
    load->size = (size_t)option(count, arguments, "--size", 64);
    load->server = (pid_t)option(count, arguments, "--server-pid", 0);
    load->warmup = option(count, arguments, "--warmup", 0.5);
    load->seconds = option(count, arguments, "--seconds", 2);
    errno = EINVAL;
    CHECK(load->port > 0 && load->connection_count > 0 && load->size > 0 && load->seconds > 0,
          "options");
    load->pattern = malloc(load->size + 256);
    CHECK(load->pattern != NULL, "malloc");
    for (size_t i = 0; i < load->size + 256; i++) load->pattern[i] = (unsigned char)i;
    load->epoll = epoll_create1(EPOLL_CLOEXEC);
    CHECK(load->epoll >= 0, "epoll_create1");
}

/// Each message differs from the previous one and from those of other connections.
static inline const unsigned char *message(const struct load *load, int descriptor,
                                           unsigned sequence) {
    return load->pattern + ((sequence * 7 + (unsigned)descriptor * 31) & 255);
}

static inline void set_events(struct load *load, int operation, int descriptor, uint32_t events,
                              void *connection) {
    struct epoll_event event = {.events = events, .data.ptr = connection};
    CHECK(epoll_ctl(load->epoll, operation, descriptor, &event) == 0, "epoll_ctl");
}

static inline void count_message(struct load *load, uint64_t nanoseconds) {
    histogram_add(&load->latencies, nanoseconds);
    load->messages++;
}

/// Serves echoes until `deadline`; returns the time at the end.
static inline uint64_t run_until(struct load *load, uint64_t deadline) {
    for (;;) {
        uint64_t now = now_nanoseconds();
        if (now >= deadline) return now;
        struct epoll_event events[EVENTS_PER_WAIT];
        int milliseconds = (int)((deadline - now + 999999) / 1000000);
        int ready = epoll_wait(load->epoll, events, EVENTS_PER_WAIT, milliseconds);
        CHECK(ready >= 0 || errno == EINTR, "epoll_wait");
        for (int i = 0; i < ready; i++) load->serve(load, events[i].data.ptr);
    }
}

static inline void warm_up(struct load *load) {
    run_until(load, now_nanoseconds() + (uint64_t)(load->warmup * 1e9));
    load->messages = 0;
    load->latencies = (struct histogram){0};
}

/// Prints key=value lines.
static inline void measure_and_print(struct load *load) {
    struct observed before = observe(load->server);
    uint64_t start = now_nanoseconds();
    uint64_t own_start = clock_nanoseconds(CLOCK_PROCESS_CPUTIME_ID);
    uint64_t end = run_until(load, start + (uint64_t)(load->seconds * 1e9));
    struct observed spent = observed_since(before, observe(load->server));
    uint64_t own_spent = clock_nanoseconds(CLOCK_PROCESS_CPUTIME_ID) - own_start;
    double messages = load->messages > 0 ? (double)load->messages : 1;
    printf("messages=%llu\n", (unsigned long long)load->messages);
    printf("rate=%.1f\n", (double)load->messages / ((double)(end - start) / 1e9));
    printf("p50_us=%.1f\n", (double)histogram_percentile(&load->latencies, 0.50) / 1e3);
    printf("p99_us=%.1f\n", (double)histogram_percentile(&load->latencies, 0.99) / 1e3);
    printf("cpu_us=%.4f\n", (double)spent.cpu_nanoseconds / 1e3 / messages);
    printf("client_cpu_us=%.4f\n", (double)own_spent / 1e3 / messages);
    printf("switches=%.4f\n", (double)spent.switches / messages);
}

#endif
