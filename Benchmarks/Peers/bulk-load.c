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
#include "load.h"

enum { PIECE = 65536, MESSAGE = 64 };
enum mode { SINK, SOURCE, BROADCAST };

struct connection {
    int descriptor;
    uint64_t received;
};

static enum mode mode;
static struct connection *connections;  // and the one that sends, in a broadcast
static uint64_t messages, sent_at;  // in a broadcast; when the last one was sent
static int missing;                 // deliveries of the last message

// Page-aligned: some processors copy twice as fast to such an address.
static char buffer[PIECE] __attribute__((aligned(4096)));
static char text[TEXT_PERIOD + MESSAGE];

static void send_piece(struct load *load, struct connection *connection) {
    ssize_t sent = send(connection->descriptor, buffer, PIECE, MSG_NOSIGNAL);
    CHECK(sent >= 0 || errno == EAGAIN || errno == EINTR, "send");
    if (sent > 0) load->served += (uint64_t)sent;
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
    load->served += count;
}

static void send_message(struct load *load) {
    messages++;
    missing = load->connection_count;
    sent_at = now_nanoseconds();
    int sender = connections[load->connection_count].descriptor;
    CHECK(send(sender, message(load, 0, messages), MESSAGE, MSG_NOSIGNAL) == MESSAGE, "send");
}

static void receive_message(struct load *load, struct connection *connection) {
    size_t count = receive_some(connection, MESSAGE + 1);
    if (count == 0) return;
    require(connection != &connections[load->connection_count], "an echo");
    uint64_t sent = messages * MESSAGE;
    require(connection->received + count <= sent, "too many bytes");
    size_t offset = connection->received % MESSAGE;
    require(memcmp(buffer, message(load, 0, messages) + offset, count) == 0, "wrong bytes");
    connection->received += count;
    if (connection->received < sent) return;
    load->served++;
    if (--missing > 0) return;
    histogram_add(&load->latencies, now_nanoseconds() - sent_at);
    send_message(load);
}

static void serve(struct load *load, const struct epoll_event *event) {
    if (mode == SINK) {
        send_piece(load, event->data.ptr);
    } else if (mode == SOURCE) {
        receive_text(load, event->data.ptr);
    } else {
        receive_message(load, event->data.ptr);
    }
}

static void connect_one(struct load *load, struct connection *connection) {
    int descriptor = connection->descriptor = connect_to(load->port);
    set_no_delay(descriptor);
    set_non_blocking(descriptor);
    set_events(load, EPOLL_CTL_ADD, descriptor, mode == SINK ? EPOLLOUT : EPOLLIN, connection);
}

/// The connection that sends a broadcast is the last: the server has accepted all others before.
static void connect_all(struct load *load) {
    int count = load->connection_count + (mode == BROADCAST);
    connections = calloc((size_t)count, sizeof *connections);
    CHECK(connections != NULL, "calloc");
    fill_with_text(text, sizeof text);
    for (int i = 0; i < count; i++) connect_one(load, &connections[i]);
    if (mode == BROADCAST) send_message(load);
}

int main(int count, char **arguments) {
    static struct load load = {.serve = serve, .connection_count = 8, .size = MESSAGE};
    int is_sink = has_option(count, arguments, "sink");
    int is_source = has_option(count, arguments, "source");
    int is_broadcast = has_option(count, arguments, "broadcast");
    errno = EINVAL;
    CHECK(is_sink + is_source + is_broadcast == 1, "--mode");
    mode = is_sink ? SINK : is_source ? SOURCE : BROADCAST;
    prepare_load(&load, count, arguments);
    connect_all(&load);
    warm_up(&load);
    struct period period = measure(&load);
    require(load.served > 0, "nothing was transferred");
    double units = (double)load.served / (is_broadcast ? 1 : 1 << 20);
    printf("total=%.1f\n", units);
    print_period(&period, units, is_broadcast ? &load.latencies : NULL);
}
