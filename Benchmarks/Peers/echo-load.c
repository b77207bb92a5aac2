// The load client: one thread, epoll, closed loop (each connection keeps --pipeline messages in
// flight). Verifies every byte. Measures the server's CPU time over exactly the measured period.
//
// echo-load --port P [--connections 64] [--size 64] [--pipeline 1] [--warmup 0.5] [--seconds 2]
//           [--server-pid PID] [--exclude-first]
// With --exclude-first, the first connection (a server's slow one) is loaded but not measured.
// Prints key=value lines.
#define _GNU_SOURCE
#include "histogram.h"
#include "observed.h"
#include "peer.h"
#include <sys/epoll.h>

struct connection {
    int descriptor;
    int is_counted;
    unsigned sent, echoed;  // messages
    size_t received;        // bytes of the current message
    const unsigned char *rest;  // what the socket had no room for
    size_t rest_count;
    int waits;  // for room
    uint64_t *sent_at;      // a ring of send times
};

struct load {
    int port, connection_count, epoll, pipeline;
    size_t size;
    unsigned char *pattern;  // the byte values 0 to 255, repeated
    int excludes_first;
    struct connection *connections;
    unsigned char *buffer;
    struct histogram latencies;
    uint64_t messages;
};

/// Each message differs from the previous one and from those of other connections.
static const unsigned char *message(const struct load *load, const struct connection *connection,
                                    unsigned sequence) {
    return load->pattern + ((sequence * 7 + (unsigned)connection->descriptor * 31) & 255);
}

static void set_events(struct load *load, struct connection *connection, uint32_t events) {
    struct epoll_event event = {.events = events, .data.ptr = connection};
    CHECK(epoll_ctl(load->epoll, EPOLL_CTL_MOD, connection->descriptor, &event) == 0, "epoll_ctl");
}

static void send_rest(struct load *load, struct connection *connection) {
    int has_waited = connection->waits;
    ssize_t sent =
        send(connection->descriptor, connection->rest, connection->rest_count, MSG_NOSIGNAL);
    CHECK(sent >= 0 || errno == EAGAIN, "send");
    if (sent > 0) {
        connection->rest += sent;
        connection->rest_count -= (size_t)sent;
    }
    connection->waits = connection->rest_count > 0;
    if (connection->waits != has_waited) {
        set_events(load, connection, connection->waits ? EPOLLIN | EPOLLOUT : EPOLLIN);
    }
}

static void send_messages(struct load *load, struct connection *connection, int count) {
    const unsigned char *bytes = message(load, connection, connection->sent);
    uint64_t now = now_nanoseconds();
    if (count > 1) {
        for (int i = 0; i < count; i++) {
            memcpy(load->buffer + (size_t)i * load->size,
                   message(load, connection, connection->sent + (unsigned)i), load->size);
        }
        bytes = load->buffer;
    }
    for (int i = 0; i < count; i++) {
        connection->sent_at[(connection->sent++) % (unsigned)load->pipeline] = now;
    }
    connection->rest = bytes;
    connection->rest_count = (size_t)count * load->size;
    send_rest(load, connection);
    errno = ENOBUFS;
    CHECK(connection->rest_count == 0 || count == 1, "send");
}

/// Reads once, counts complete messages, and sends as many new ones.
static void receive(struct load *load, struct connection *connection) {
    size_t most = load->size * (size_t)load->pipeline;
    ssize_t count = recv(connection->descriptor, load->buffer, most, 0);
    if (count < 0 && (errno == EAGAIN || errno == EINTR)) return;
    CHECK(count >= 0, "recv");
    int complete = 0;
    uint64_t now = now_nanoseconds();
    for (size_t start = 0, left = (size_t)count; left > 0 || count == 0;) {
        size_t part = load->size - connection->received;
        if (part > left) part = left;
        const unsigned char *wanted = message(load, connection, connection->echoed);
        if (count == 0 || connection->echoed == connection->sent
            || memcmp(load->buffer + start, wanted + connection->received, part) != 0) {
            fprintf(stderr, "%s\n", count == 0 ? "the server closed a connection" : "wrong bytes");
            exit(1);
        }
        start += part;
        left -= part;
        connection->received += part;
        if (connection->received < load->size) break;
        connection->received = 0;
        complete++;
        uint64_t sent_at = connection->sent_at[(connection->echoed++) % (unsigned)load->pipeline];
        if (!connection->is_counted) continue;
        histogram_add(&load->latencies, now - sent_at);
        load->messages++;
    }
    if (complete > 0) send_messages(load, connection, complete);
}

static void connect_one(struct load *load, int index) {
    struct connection *connection = &load->connections[index];
    int descriptor = connection->descriptor = connect_to(load->port);
    set_no_delay(descriptor);
    set_non_blocking(descriptor);
    connection->is_counted = index > 0 || !load->excludes_first;
    connection->sent_at = calloc((size_t)load->pipeline, sizeof *connection->sent_at);
    CHECK(connection->sent_at != NULL, "calloc");
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = connection};
    CHECK(epoll_ctl(load->epoll, EPOLL_CTL_ADD, descriptor, &event) == 0, "epoll_ctl");
}

/// Serves echoes until `deadline`; returns the time at the end.
static uint64_t run_until(struct load *load, uint64_t deadline) {
    for (;;) {
        uint64_t now = now_nanoseconds();
        if (now >= deadline) return now;
        struct epoll_event events[EVENTS_PER_WAIT];
        int milliseconds = (int)((deadline - now + 999999) / 1000000);
        int ready = epoll_wait(load->epoll, events, EVENTS_PER_WAIT, milliseconds);
        CHECK(ready >= 0 || errno == EINTR, "epoll_wait");
        for (int i = 0; i < ready; i++) {
            struct connection *connection = events[i].data.ptr;
            if (events[i].events & EPOLLOUT && connection->waits) send_rest(load, connection);
            if (events[i].events & ~(uint32_t)EPOLLOUT) receive(load, connection);
        }
    }
}

/// The first connection gets an echo before the others connect, so that it is accepted first.
static void connect_all(struct load *load) {
    load->connections = calloc((size_t)load->connection_count, sizeof *load->connections);
    load->buffer = aligned_alloc(4096, (load->size * (size_t)load->pipeline + 4095) & ~4095ul);
    load->pattern = aligned_alloc(4096, (load->size + 256 + 4095) & ~4095ul);
    load->epoll = epoll_create1(EPOLL_CLOEXEC);
    CHECK(load->connections && load->buffer && load->pattern && load->epoll >= 0, "set-up");
    for (size_t i = 0; i < load->size + 256; i++) load->pattern[i] = (unsigned char)i;
    connect_one(load, 0);
    send_messages(load, &load->connections[0], load->pipeline);
    uint64_t deadline = now_nanoseconds() + 5000000000u;
    while (load->connections[0].echoed < 1 && now_nanoseconds() < deadline) {
        run_until(load, now_nanoseconds() + 1000000);
    }
    errno = ETIMEDOUT;
    CHECK(load->connections[0].echoed >= 1, "the first echo");
    for (int i = 1; i < load->connection_count; i++) connect_one(load, i);
    for (int i = 1; i < load->connection_count; i++) {
        send_messages(load, &load->connections[i], load->pipeline);
    }
}

static uint64_t own_cpu_nanoseconds(void) {
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

static void print_results(const struct load *load, double seconds, struct observed spent,
                          uint64_t own_nanoseconds) {
    double messages = load->messages > 0 ? (double)load->messages : 1;
    printf("messages=%llu\n", (unsigned long long)load->messages);
    printf("rate=%.1f\n", (double)load->messages / seconds);
    printf("p50_us=%.1f\n", (double)histogram_percentile(&load->latencies, 0.50) / 1e3);
    printf("p99_us=%.1f\n", (double)histogram_percentile(&load->latencies, 0.99) / 1e3);
    printf("p999_us=%.1f\n", (double)histogram_percentile(&load->latencies, 0.999) / 1e3);
    printf("cpu_us=%.4f\n", (double)spent.cpu_nanoseconds / 1e3 / messages);
    printf("client_cpu_us=%.4f\n", (double)own_nanoseconds / 1e3 / messages);
    printf("switches=%.4f\n", (double)spent.switches / messages);
    printf("threads=%lld\n", (long long)spent.threads);
}

int main(int count, char **arguments) {
    static struct load load;
    load.port = (int)option(count, arguments, "--port", 0);
    load.connection_count = (int)option(count, arguments, "--connections", 64);
    load.size = (size_t)option(count, arguments, "--size", 64);
    load.pipeline = (int)option(count, arguments, "--pipeline", 1);
    load.excludes_first = has_option(count, arguments, "--exclude-first");
    double warmup = option(count, arguments, "--warmup", 0.5);
    double seconds = option(count, arguments, "--seconds", 2);
    pid_t server = (pid_t)option(count, arguments, "--server-pid", 0);
    errno = EINVAL;
    CHECK(load.port > 0 && load.connection_count > 0 && load.size > 0 && load.pipeline > 0
              && seconds > 0,
          "options");

    connect_all(&load);
    run_until(&load, now_nanoseconds() + (uint64_t)(warmup * 1e9));
    struct observed before = observe(server);
    uint64_t start = now_nanoseconds(), own_start = own_cpu_nanoseconds();
    load.messages = 0;
    load.latencies = (struct histogram){0};
    uint64_t end = run_until(&load, start + (uint64_t)(seconds * 1e9));
    print_results(&load, (double)(end - start) / 1e9, observed_since(before, observe(server)),
                  own_cpu_nanoseconds() - own_start);
}
