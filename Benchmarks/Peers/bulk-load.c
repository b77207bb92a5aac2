// The load client for much data: one thread, epoll. Measures the server's CPU time over exactly the
// measured period.
//
// bulk-load --port P --mode sink|source|broadcast [--connections 8] [--warmup 0.5] [--seconds 2]
//           [--server-pid PID]
//
// sink: sends pieces of 64 KiB without end. source: receives the text of RFC 864 without end, and
// checks the first bytes of each receive. broadcast: one more connection sends a message of 64
// bytes, the next one when all others have received it; checks every byte.
// Prints key=value lines. Their unit is a MiB, or the delivery of a message to one connection;
// p50_us and p99_us are the time until all have a message.
#define _GNU_SOURCE
#include "characters.h"
#include "histogram.h"
#include "observed.h"
#include "peer.h"
#include <sys/epoll.h>

enum { PIECE = 65536, MESSAGE = 64 };
enum mode { SINK, SOURCE, BROADCAST };

struct connection {
    int descriptor;
    uint64_t received;
};

struct load {
    int port, connection_count, epoll;
    enum mode mode;
    struct connection *connections;  // and the one that sends, in a broadcast
    uint64_t bytes, deliveries;
    struct histogram latencies;
    unsigned char message[MESSAGE];
    uint64_t messages, sent_at;
    int missing;  // deliveries of the current message
};

// Page-aligned: some processors copy twice as fast to such an address.
static char buffer[PIECE] __attribute__((aligned(4096)));
static char text[TEXT_PERIOD + MESSAGE];

static void require(int condition, const char *what) {
    if (condition) return;
    fprintf(stderr, "%s\n", what);
    exit(1);
}

static void send_piece(struct load *load, struct connection *connection) {
    ssize_t sent = send(connection->descriptor, buffer, PIECE, MSG_NOSIGNAL);
    CHECK(sent >= 0 || errno == EAGAIN || errno == EINTR, "send");
    if (sent > 0) load->bytes += (uint64_t)sent;
}

/// Returns 0 if there is nothing.
static size_t receive_some(struct connection *connection, size_t most) {
    ssize_t count = recv(connection->descriptor, buffer, most, 0);
    if (count < 0 && (errno == EAGAIN || errno == EINTR)) return 0;
    CHECK(count >= 0, "recv");
    require(count > 0, "the server closed a connection");
    return (size_t)count;
}

static void receive_text(struct load *load, struct connection *connection) {
    size_t count = receive_some(connection, PIECE);
    const char *wanted = text + connection->received % TEXT_PERIOD;
    require(memcmp(buffer, wanted, count < MESSAGE ? count : MESSAGE) == 0, "wrong bytes");
    connection->received += count;
    load->bytes += count;
}

/// Each message differs from the previous one.
static void send_message(struct load *load) {
    for (unsigned i = 0; i < MESSAGE; i++) {
        load->message[i] = (unsigned char)(load->messages * 7 + i);
    }
    load->messages++;
    load->missing = load->connection_count;
    load->sent_at = now_nanoseconds();
    int sender = load->connections[load->connection_count].descriptor;
    CHECK(send(sender, load->message, MESSAGE, MSG_NOSIGNAL) == MESSAGE, "send");
}

static void receive_message(struct load *load, struct connection *connection) {
    size_t count = receive_some(connection, MESSAGE + 1);
    if (count == 0) return;
    require(connection != &load->connections[load->connection_count], "an echo");
    uint64_t sent = load->messages * MESSAGE;
    require(connection->received + count <= sent, "too many bytes");
    size_t offset = connection->received % MESSAGE;
    require(memcmp(buffer, load->message + offset, count) == 0, "wrong bytes");
    connection->received += count;
    if (connection->received < sent) return;
    load->deliveries++;
    if (--load->missing > 0) return;
    histogram_add(&load->latencies, now_nanoseconds() - load->sent_at);
    send_message(load);
}

/// Serves events until `deadline`; returns the time at the end.
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
            if (load->mode == SINK) {
                send_piece(load, connection);
            } else if (load->mode == SOURCE) {
                receive_text(load, connection);
            } else {
                receive_message(load, connection);
            }
        }
    }
}

static void connect_one(struct load *load, struct connection *connection) {
    int descriptor = connection->descriptor = connect_to(load->port);
    set_no_delay(descriptor);
    set_non_blocking(descriptor);
    struct epoll_event event = {
        .events = load->mode == SINK ? EPOLLOUT : EPOLLIN, .data.ptr = connection};
    CHECK(epoll_ctl(load->epoll, EPOLL_CTL_ADD, descriptor, &event) == 0, "epoll_ctl");
}

/// The connection that sends a broadcast is the last: the server has accepted all others before.
static void connect_all(struct load *load) {
    int count = load->connection_count + (load->mode == BROADCAST);
    load->connections = calloc((size_t)count, sizeof *load->connections);
    load->epoll = epoll_create1(EPOLL_CLOEXEC);
    CHECK(load->connections && load->epoll >= 0, "set-up");
    fill_with_text(text, sizeof text);
    for (int i = 0; i < count; i++) connect_one(load, &load->connections[i]);
    if (load->mode == BROADCAST) send_message(load);
}

static void print_results(const struct load *load, double seconds, struct observed spent,
                          uint64_t own_nanoseconds) {
    int is_broadcast = load->mode == BROADCAST;
    double units = is_broadcast ? (double)load->deliveries : (double)load->bytes / (1 << 20);
    require(units > 0, "nothing was transferred");
    printf("total=%.1f\n", units);
    printf("rate=%.1f\n", units / seconds);
    if (is_broadcast) {
        printf("p50_us=%.1f\n", (double)histogram_percentile(&load->latencies, 0.50) / 1e3);
        printf("p99_us=%.1f\n", (double)histogram_percentile(&load->latencies, 0.99) / 1e3);
    }
    printf("cpu_us=%.4f\n", (double)spent.cpu_nanoseconds / 1e3 / units);
    printf("client_cpu_us=%.4f\n", (double)own_nanoseconds / 1e3 / units);
    printf("switches=%.4f\n", (double)spent.switches / units);
    printf("threads=%lld\n", (long long)spent.threads);
}

int main(int count, char **arguments) {
    static struct load load;
    load.port = (int)option(count, arguments, "--port", 0);
    load.connection_count = (int)option(count, arguments, "--connections", 8);
    int is_sink = has_option(count, arguments, "sink");
    int is_source = has_option(count, arguments, "source");
    int is_broadcast = has_option(count, arguments, "broadcast");
    load.mode = is_sink ? SINK : is_source ? SOURCE : BROADCAST;
    double warmup = option(count, arguments, "--warmup", 0.5);
    double seconds = option(count, arguments, "--seconds", 2);
    pid_t server = (pid_t)option(count, arguments, "--server-pid", 0);
    errno = EINVAL;
    CHECK(load.port > 0 && load.connection_count > 0 && seconds > 0
              && is_sink + is_source + is_broadcast == 1,
          "options");

    connect_all(&load);
    run_until(&load, now_nanoseconds() + (uint64_t)(warmup * 1e9));
    struct observed before = observe(server);
    uint64_t start = now_nanoseconds();
    uint64_t own_start = clock_nanoseconds(CLOCK_PROCESS_CPUTIME_ID);
    load.bytes = load.deliveries = 0;
    load.latencies = (struct histogram){0};
    uint64_t end = run_until(&load, start + (uint64_t)(seconds * 1e9));
    print_results(&load, (double)(end - start) / 1e9, observed_since(before, observe(server)),
                  clock_nanoseconds(CLOCK_PROCESS_CPUTIME_ID) - own_start);
}
