// The load client of an open loop: messages of 64 bytes are due at fixed times, spread evenly over
// the connections in turn, whether earlier ones are answered or not. A latency counts from the due
// time. One thread, epoll, asleep until the next message is due. Verifies every byte. Measures the
// server's CPU time over exactly the measured period.
//
// open-load --port P --rate R [--connections 64] [--warmup 0.5] [--seconds 2] [--server-pid PID]
// Each connection gets one message and its answer before the warm-up. Prints key=value lines:
// late_p99_us is how late this client sent, bytes_each the server's memory for each connection.
#define _GNU_SOURCE
#include "load.h"
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

static struct connection *connections;
static struct histogram lateness;
static unsigned char buffer[BUFFER_BYTES] __attribute__((aligned(4096)));

static struct schedule {
    double rate;
    uint64_t first, next;  // when message 0 is due; the next message
    uint64_t start, end;   // the messages due in between are measured; none is due later
} schedule = {.start = UINT64_MAX, .end = UINT64_MAX};

static uint64_t due_time(uint64_t index) {
    return schedule.first + (uint64_t)((double)index * 1e9 / schedule.rate);
}

static int is_measured(uint64_t due) {
    return due >= schedule.start && due < schedule.end;
}

/// Sends what is due, as far as there is room.
static void send_due(struct load *load, struct connection *connection) {
    int is_full = 0;
    while (!is_full && connection->sent < connection->due * SIZE) {
        size_t start = connection->sent % SIZE;
        uint64_t sequence = connection->sent / SIZE;
        const unsigned char *bytes = message(load, connection->descriptor, sequence) + start;
        ssize_t sent = send(connection->descriptor, bytes, SIZE - start, MSG_NOSIGNAL);
        CHECK(sent >= 0 || errno == EAGAIN || errno == EINTR, "send");
        if (sent > 0) connection->sent += (uint64_t)sent;
        is_full = sent < 0 && errno == EAGAIN;
    }
    if (is_full != connection->waits) {
        set_events(load, EPOLL_CTL_MOD, connection->descriptor,
                   is_full ? EPOLLIN | EPOLLOUT : EPOLLIN, connection);
        connection->waits = is_full;
    }
}

/// Sends the messages that are due by `now`, and before the end.
static void send_all_due(struct load *load, uint64_t now) {
    for (uint64_t due; (due = due_time(schedule.next)) <= now && due < schedule.end;) {
        struct connection *connection =
            &connections[schedule.next++ % (unsigned)load->connection_count];
        connection->due++;
        if (!connection->waits) send_due(load, connection);
        if (is_measured(due)) histogram_add(&lateness, now_nanoseconds() - due);
    }
}

/// The due time of the connection's oldest message without an answer.
static uint64_t oldest_due_time(const struct load *load, const struct connection *connection) {
    return due_time(connection->answered * (unsigned)load->connection_count
                    + (uint64_t)(connection - connections));
}

static void receive(struct load *load, struct connection *connection) {
    ssize_t count = recv(connection->descriptor, buffer, sizeof buffer, 0);
    if (count < 0 && (errno == EAGAIN || errno == EINTR)) return;
    CHECK(count >= 0, "recv");
    uint64_t now = now_nanoseconds();
    require(count > 0, "the server closed a connection");
    require(connection->received + (uint64_t)count <= connection->sent, "too many bytes");
    for (size_t start = 0; start < (size_t)count;) {
        size_t offset = connection->received % SIZE, part = SIZE - offset;
        if (part > (size_t)count - start) part = (size_t)count - start;
        const unsigned char *wanted = message(load, connection->descriptor, connection->answered);
        require(memcmp(buffer + start, wanted + offset, part) == 0, "wrong bytes");
        start += part;
        connection->received += part;
        if (connection->received % SIZE != 0) break;
        uint64_t due = oldest_due_time(load, connection);
        if (is_measured(due)) histogram_add(&load->latencies, now - due);
        connection->answered++;
        load->served++;
    }
}

/// Sends what is due and receives answers until `deadline`; returns the time at the end.
static uint64_t run_schedule(struct load *load, uint64_t deadline) {
    for (;;) {
        send_all_due(load, now_nanoseconds());
        uint64_t now = now_nanoseconds(), next = due_time(schedule.next);
        if (now >= deadline) return now;
        if (next > deadline || next >= schedule.end) next = deadline;
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
    uint64_t now = now_nanoseconds(), deadline = schedule.end + GRACE_NANOSECONDS;
    while (load->served < schedule.next && now < deadline) now = run_schedule(load, now + 1000000);
    for (int i = 0; i < load->connection_count; i++) {
        struct connection *connection = &connections[i];
        for (; connection->answered < connection->due; connection->answered++) {
            uint64_t due = oldest_due_time(load, connection);
            if (is_measured(due)) histogram_add(&load->latencies, now - due);
        }
    }
}

static void connect_one(struct load *load, struct connection *connection) {
    int descriptor = connection->descriptor = connect_to(load->port);
    set_no_delay(descriptor);
    const unsigned char *greeting = message(load, descriptor, 0);
    CHECK(send(descriptor, greeting, SIZE, MSG_NOSIGNAL) == SIZE, "send");
    CHECK(recv(descriptor, buffer, SIZE, MSG_WAITALL) == SIZE, "recv");
    require(memcmp(buffer, greeting, SIZE) == 0, "wrong bytes");
    set_non_blocking(descriptor);
    set_events(load, EPOLL_CTL_ADD, descriptor, EPOLLIN, connection);
}

static void connect_all(struct load *load) {
    connections = calloc((size_t)load->connection_count, sizeof *connections);
    CHECK(connections != NULL, "calloc");
    for (int i = 0; i < load->connection_count; i++) connect_one(load, &connections[i]);
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

int main(int count, char **arguments) {
    static struct load load = {.connection_count = 64, .size = SIZE};
    prepare_load(&load, count, arguments);
    schedule.rate = option(count, arguments, "--rate", 0);
    errno = EINVAL;
    CHECK(schedule.rate > 0, "--rate");
    // Otherwise the kernel may wake this thread up to 50 microseconds late.
    CHECK(prctl(PR_SET_TIMERSLACK, 1) == 0, "PR_SET_TIMERSLACK");

    double resident = resident_bytes(load.server);
    connect_all(&load);
    schedule.first = now_nanoseconds();
    run_schedule(&load, schedule.first + (uint64_t)(load.warmup * 1e9));
    struct period period = begin_period(load.server);
    uint64_t answered = load.served;
    schedule.start = period.start;
    schedule.end = schedule.start + (uint64_t)(load.seconds * 1e9);
    run_schedule(&load, schedule.end);
    end_period(&period);
    answered = load.served - answered;
    finish(&load);

    printf("messages=%llu\n", (unsigned long long)answered);
    print_period(&period, (double)answered, &load.latencies);
    print_percentile("late_p99_us", &lateness, 0.99);
    printf("bytes_each=%.1f\n", (resident_bytes(load.server) - resident) / load.connection_count);
}
