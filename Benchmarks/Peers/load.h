// Shared by the load clients: one thread, epoll. Measures the server's CPU time over exactly the
// measured period, and prints key=value lines.
#ifndef LOAD_H
#define LOAD_H

#include "histogram.h"
#include "observed.h"
#include "peer.h"
#include <sys/epoll.h>

struct load {
    int port, epoll;
    int connection_count;  // before prepare_load, the default
    size_t size;           // of a message; set before prepare_load
    void (*serve)(struct load *load, const struct epoll_event *event);
    pid_t server;
    double warmup, seconds;
    unsigned char *pattern;  // the byte values 0 to 255, repeated
    uint64_t served;         // messages, or bytes
    struct histogram latencies;
};

/// Reads the options, and makes what all clients need.
static inline void prepare_load(struct load *load, int count, char **arguments) {
    load->port = (int)option(count, arguments, "--port", 0);
    load->connection_count =
        (int)option(count, arguments, "--connections", load->connection_count);
    load->server = (pid_t)option(count, arguments, "--server-pid", 0);
    load->warmup = option(count, arguments, "--warmup", 0.5);
    load->seconds = option(count, arguments, "--seconds", 2);
    errno = EINVAL;
    CHECK(load->port > 0 && load->connection_count > 0 && load->size > 0 && load->seconds > 0,
          "options");
    load->pattern = aligned_alloc(4096, (load->size + 256 + 4095) & ~4095ul);
    CHECK(load->pattern != NULL, "aligned_alloc");
    for (size_t i = 0; i < load->size + 256; i++) load->pattern[i] = (unsigned char)i;
    load->epoll = epoll_create1(EPOLL_CLOEXEC);
    CHECK(load->epoll >= 0, "epoll_create1");
}

/// Each message differs from the previous one and from those of other connections.
static inline const unsigned char *message(const struct load *load, int descriptor,
                                           uint64_t sequence) {
    return load->pattern + ((sequence * 7 + (unsigned)descriptor * 31) & 255);
}

static inline void set_events(struct load *load, int operation, int descriptor, uint32_t events,
                              void *connection) {
    struct epoll_event event = {.events = events, .data.ptr = connection};
    CHECK(epoll_ctl(load->epoll, operation, descriptor, &event) == 0, "epoll_ctl");
}

static inline void count_message(struct load *load, uint64_t nanoseconds) {
    histogram_add(&load->latencies, nanoseconds);
    load->served++;
}

/// Serves events until `deadline`.
static inline void run_until(struct load *load, uint64_t deadline) {
    for (uint64_t now; (now = now_nanoseconds()) < deadline;) {
        struct epoll_event events[EVENTS_PER_WAIT];
        int milliseconds = (int)((deadline - now + 999999) / 1000000);
        int ready = epoll_wait(load->epoll, events, EVENTS_PER_WAIT, milliseconds);
        CHECK(ready >= 0 || errno == EINTR, "epoll_wait");
        for (int i = 0; i < ready; i++) load->serve(load, &events[i]);
    }
}

// A measured period: the values are those at its start, then what was spent until its end.
struct period {
    pid_t server;
    struct observed observed;
    uint64_t start, nanoseconds, own_cpu_nanoseconds;
};

static inline struct period begin_period(pid_t server) {
    struct period period = {.server = server, .observed = observe(server)};
    period.start = now_nanoseconds();
    period.own_cpu_nanoseconds = clock_nanoseconds(CLOCK_PROCESS_CPUTIME_ID);
    return period;
}

static inline void end_period(struct period *period) {
    period->nanoseconds = now_nanoseconds() - period->start;
    period->observed = observed_since(period->observed, observe(period->server));
    period->own_cpu_nanoseconds =
        clock_nanoseconds(CLOCK_PROCESS_CPUTIME_ID) - period->own_cpu_nanoseconds;
}

/// Prints what each of the served `units` costs; and the latencies, if any.
static inline void print_period(const struct period *period, double units,
                                const struct histogram *latencies) {
    printf("rate=%.1f\n", units / ((double)period->nanoseconds / 1e9));
    if (latencies != NULL) print_percentiles(latencies);
    if (units == 0) units = 1;
    printf("cpu_us=%.4f\n", (double)period->observed.cpu_nanoseconds / 1e3 / units);
    printf("client_cpu_us=%.4f\n", (double)period->own_cpu_nanoseconds / 1e3 / units);
    printf("switches=%.4f\n", (double)period->observed.switches / units);
    printf("threads=%lld\n", (long long)period->observed.threads);
}

static inline void warm_up(struct load *load) {
    run_until(load, now_nanoseconds() + (uint64_t)(load->warmup * 1e9));
    load->served = 0;
    load->latencies = (struct histogram){0};
}

static inline struct period measure(struct load *load) {
    struct period period = begin_period(load->server);
    run_until(load, period.start + (uint64_t)(load->seconds * 1e9));
    end_period(&period);
    return period;
}

static inline void measure_and_print(struct load *load) {
    struct period period = measure(load);
    printf("messages=%llu\n", (unsigned long long)load->served);
    print_period(&period, (double)load->served, &load->latencies);
}

#endif
