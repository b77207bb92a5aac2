// The load client of an open loop: messages of 64 bytes are due at fixed times, spread evenly over
// the connections in turn, whether earlier ones are answered or not. A latency counts from the due
// time. One thread, epoll, asleep until the next message is due. Verifies every byte. Measures the
// server's CPU time over exactly the measured period.
//
// open-load --port P --rate R [--connections 64] [--warmup 0.5] [--seconds 2] [--server-pid PID]
// Each connection gets one message and its answer before the warm-up. Prints key=value lines:
// late_p99_us is how late this client sent, bytes_each the server's memory for each connection.
#define _GNU_SOURCE
#include "histogram.h"
#include "observed.h"
#include "peer.h"
#include <sys/epoll.h>
#include <sys/prctl.h>

enum { SIZE = 64, BUFFER_BYTES = 65536 };

// Answers that are still missing this long after the end count with their age then.
static const uint64_t GRACE_NANOSECONDS = 1000000000;

struct connection {
    int descriptor;
    int waits;                // for room
    uint64_t due, answered;   // messages
    uint64_t sent, received;  // bytes
};

struct load {
    int port, connection_count, epoll;
    double rate;
    uint64_t schedule_start, next;  // when message 0 is due; the next message
    uint64_t start, end;            // the messages due in between are measured; none is due later
    struct connection *connections;
    struct histogram latencies, lateness;
    uint64_t answered;
};

// The byte values 0 to 255, repeated.
static unsigned char pattern[SIZE + 256] __attribute__((aligned(4096)));
static unsigned char buffer[BUFFER_BYTES] __attribute__((aligned(4096)));

/// Each message differs from the previous one and from those of other connections.
static const unsigned char *message(const struct connection *connection, uint64_t sequence) {
    return pattern + ((sequence * 7 + (unsigned)connection->descriptor * 31) & 255);
}

static uint64_t due_time(const struct load *load, uint64_t index) {
    return load->schedule_start + (uint64_t)((double)index * 1e9 / load->rate);
}

static int is_measured(const struct load *load, uint64_t due) {
    return due >= load->start && due < load->end;
}

static void set_events(struct load *load, struct connection *connection, uint32_t events) {
    struct epoll_event event = {.events = events, .data.ptr = connection};
    CHECK(epoll_ctl(load->epoll, EPOLL_CTL_MOD, connection->descriptor, &event) == 0, "epoll_ctl");
}

/// Sends what is due, as far as there is room.
static void send_due(struct load *load, struct connection *connection) {
    int is_full = 0;
    while (!is_full && connection->sent < connection->due * SIZE) {
        size_t start = connection->sent % SIZE;
        const unsigned char *bytes = message(connection, connection->sent / SIZE) + start;
        ssize_t sent = send(connection->descriptor, bytes, SIZE - start, MSG_NOSIGNAL);
        CHECK(sent >= 0 || errno == EAGAIN || errno == EINTR, "send");
        if (sent > 0) connection->sent += (uint64_t)sent;
        is_full = sent < 0 && errno == EAGAIN;
    }
    if (is_full != connection->waits) {
        set_events(load, connection, is_full ? EPOLLIN | EPOLLOUT : EPOLLIN);
        connection->waits = is_full;
    }
}

/// Sends the messages that are due by `now`, and before the end.
static void send_all_due(struct load *load, uint64_t now) {
    for (uint64_t due; (due = due_time(load, load->next)) <= now && due < load->end; load->next++) {
        struct connection *connection =
            &load->connections[load->next % (unsigned)load->connection_count];
        connection->due++;
        if (!connection->waits) send_due(load, connection);
        if (is_measured(load, due)) histogram_add(&load->lateness, now_nanoseconds() - due);
    }
}

/// The due time of the connection's oldest message without an answer.
static uint64_t oldest_due_time(const struct load *load, const struct connection *connection) {
    uint64_t index = connection->answered * (unsigned)load->connection_count
        + (uint64_t)(connection - load->connections);
    return due_time(load, index);
}

static void receive(struct load *load, struct connection *connection) {
    ssize_t count = recv(connection->descriptor, buffer, sizeof buffer, 0);
    if (count < 0 && (errno == EAGAIN || errno == EINTR)) return;
    CHECK(count >= 0, "recv");
    uint64_t now = now_nanoseconds();
    errno = EPROTO;
    CHECK(count > 0, "the server closed a connection");
    CHECK(connection->received + (uint64_t)count <= connection->sent, "as many bytes as were sent");
    for (size_t start = 0; start < (size_t)count;) {
        size_t offset = connection->received % SIZE, part = SIZE - offset;
        if (part > (size_t)count - start) part = (size_t)count - start;
        const unsigned char *wanted = message(connection, connection->answered) + offset;
        CHECK(memcmp(buffer + start, wanted, part) == 0, "the right bytes");
        start += part;
        connection->received += part;
        if (connection->received % SIZE != 0) break;
        uint64_t due = oldest_due_time(load, connection);
        if (is_measured(load, due)) histogram_add(&load->latencies, now - due);
        connection->answered++;
        load->answered++;
    }
}

/// Sends what is due and receives answers until `deadline`; returns the time at the end.
static uint64_t run_until(struct load *load, uint64_t deadline) {
    for (;;) {
        send_all_due(load, now_nanoseconds());
        uint64_t now = now_nanoseconds(), next = due_time(load, load->next);
        if (now >= deadline) return now;
        if (next > deadline || next >= load->end) next = deadline;
        uint64_t rest = next > now ? next - now : 0;
        struct timespec timeout = {.tv_sec = (time_t)(rest / 1000000000),
                                   .tv_nsec = (long)(rest % 1000000000)};
        struct epoll_event events[EVENTS_PER_WAIT];
        int ready = epoll_pwait2(load->epoll, events, EVENTS_PER_WAIT, &timeout, NULL);
        CHECK(ready >= 0 || errno == EINTR, "epoll_pwait2");
        for (int i = 0; i < ready; i++) {
            struct connection *connection = events[i].data.ptr;
            if (events[i].events & EPOLLOUT) send_due(load, connection);
            if (events[i].events & ~(uint32_t)EPOLLOUT) receive(load, connection);
        }
    }
}

/// Waits for the missing answers. Those that do not come count with their age.
static void finish(struct load *load) {
    uint64_t now = now_nanoseconds(), deadline = load->end + GRACE_NANOSECONDS;
    while (load->answered < load->next && now < deadline) now = run_until(load, now + 1000000);
    for (int i = 0; i < load->connection_count; i++) {
        struct connection *connection = &load->connections[i];
        for (; connection->answered < connection->due; connection->answered++) {
            uint64_t due = oldest_due_time(load, connection);
            if (is_measured(load, due)) histogram_add(&load->latencies, now - due);
        }
    }
}

static void connect_one(struct load *load, struct connection *connection) {
    int descriptor = connection->descriptor = connect_to(load->port);
    set_no_delay(descriptor);
    const unsigned char *greeting = message(connection, 0);
    CHECK(send(descriptor, greeting, SIZE, MSG_NOSIGNAL) == SIZE, "send");
    CHECK(recv(descriptor, buffer, SIZE, MSG_WAITALL) == SIZE, "recv");
    CHECK(memcmp(buffer, greeting, SIZE) == 0, "the right bytes");
    set_non_blocking(descriptor);
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = connection};
    CHECK(epoll_ctl(load->epoll, EPOLL_CTL_ADD, descriptor, &event) == 0, "epoll_ctl");
}

static void connect_all(struct load *load) {
    load->connections = calloc((size_t)load->connection_count, sizeof *load->connections);
    load->epoll = epoll_create1(EPOLL_CLOEXEC);
    CHECK(load->connections && load->epoll >= 0, "set-up");
    for (int i = 0; i < load->connection_count; i++) connect_one(load, &load->connections[i]);
}

/// The memory of a process; 0 for process 0.
static double resident_bytes(pid_t process) {
    char path[64];
    long pages = 0;
    snprintf(path, sizeof path, "/proc/%d/statm", (int)process);
    FILE *file = process == 0 ? NULL : fopen(path, "r");
    if (file == NULL) return 0;
    CHECK(fscanf(file, "%*d %ld", &pages) == 1, "statm");
    fclose(file);
    return (double)pages * (double)sysconf(_SC_PAGESIZE);
}

static void print_percentile(const char *name, const struct histogram *histogram, double part) {
    printf("%s=%.1f\n", name, (double)histogram_percentile(histogram, part) / 1e3);
}

int main(int count, char **arguments) {
    static struct load load = {.start = UINT64_MAX, .end = UINT64_MAX};
    load.port = (int)option(count, arguments, "--port", 0);
    load.connection_count = (int)option(count, arguments, "--connections", 64);
    load.rate = option(count, arguments, "--rate", 0);
    double warmup = option(count, arguments, "--warmup", 0.5);
    double seconds = option(count, arguments, "--seconds", 2);
    pid_t server = (pid_t)option(count, arguments, "--server-pid", 0);
    errno = EINVAL;
    CHECK(load.port > 0 && load.connection_count > 0 && load.rate > 0 && seconds > 0, "options");
    // Otherwise the kernel may wake this thread up to 50 microseconds late.
    CHECK(prctl(PR_SET_TIMERSLACK, 1) == 0, "PR_SET_TIMERSLACK");
    for (size_t i = 0; i < sizeof pattern; i++) pattern[i] = (unsigned char)i;

    double resident = resident_bytes(server);
    connect_all(&load);
    load.schedule_start = now_nanoseconds();
    run_until(&load, load.schedule_start + (uint64_t)(warmup * 1e9));
    struct observed before = observe(server);
    uint64_t answered = load.answered;
    load.start = now_nanoseconds();
    load.end = load.start + (uint64_t)(seconds * 1e9);
    uint64_t end = run_until(&load, load.end);
    struct observed spent = observed_since(before, observe(server));
    answered = load.answered - answered;
    finish(&load);

    double messages = answered > 0 ? (double)answered : 1;
    printf("messages=%llu\n", (unsigned long long)answered);
    printf("rate=%.1f\n", (double)answered / ((double)(end - load.start) / 1e9));
    print_percentile("p50_us", &load.latencies, 0.50);
    print_percentile("p99_us", &load.latencies, 0.99);
    print_percentile("p999_us", &load.latencies, 0.999);
    print_percentile("late_p99_us", &load.lateness, 0.99);
    printf("cpu_us=%.4f\n", (double)spent.cpu_nanoseconds / 1e3 / messages);
    printf("switches=%.4f\n", (double)spent.switches / messages);
    printf("threads=%lld\n", (long long)spent.threads);
    printf("bytes_each=%.1f\n", (resident_bytes(server) - resident) / load.connection_count);
}
