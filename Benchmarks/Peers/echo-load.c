// The load client: one thread, epoll, closed loop (each connection keeps --pipeline messages in
// flight). Verifies every byte. Measures the server's CPU time over exactly the measured period.
//
// echo-load --port P [--connections 64] [--size 64] [--pipeline 1] [--warmup 0.5] [--seconds 2]
//           [--server-pid PID] [--exclude-first]
// With --exclude-first, the first connection (a server's slow one) is loaded but not measured.
// Prints key=value lines.
#define _GNU_SOURCE
#include "load.h"

struct connection {
    int descriptor;
    int is_excluded;            // from the measurement
    unsigned sent, echoed;      // messages
    size_t received;            // bytes of the current message
    const unsigned char *rest;  // what the socket had no room for
    size_t rest_count;
    int waits;          // for room
    uint64_t *sent_at;  // a ring of send times
};

static int pipeline;
static struct connection *connections;
static unsigned char *buffer;

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
        set_events(load, EPOLL_CTL_MOD, connection->descriptor,
                   connection->waits ? EPOLLIN | EPOLLOUT : EPOLLIN, connection);
    }
}

static void send_messages(struct load *load, struct connection *connection, int count) {
    const unsigned char *bytes = message(load, connection->descriptor, connection->sent);
    uint64_t now = now_nanoseconds();
    if (count > 1) {
        for (int i = 0; i < count; i++) {
            bytes = message(load, connection->descriptor, connection->sent + (unsigned)i);
            memcpy(buffer + (size_t)i * load->size, bytes, load->size);
        }
        bytes = buffer;
    }
    for (int i = 0; i < count; i++) {
        connection->sent_at[(connection->sent++) % (unsigned)pipeline] = now;
    }
    connection->rest = bytes;
    connection->rest_count = (size_t)count * load->size;
    send_rest(load, connection);
    errno = ENOBUFS;
    CHECK(connection->rest_count == 0 || count == 1, "send");
}

/// Reads once, counts complete messages, and sends as many new ones.
static void receive(struct load *load, struct connection *connection) {
    size_t most = load->size * (size_t)pipeline;
    ssize_t count = recv(connection->descriptor, buffer, most, 0);
    if (count < 0 && (errno == EAGAIN || errno == EINTR)) return;
    CHECK(count >= 0, "recv");
    require(count > 0, "the server closed a connection");
    int complete = 0;
    uint64_t now = now_nanoseconds();
    for (size_t start = 0, left = (size_t)count; left > 0;) {
        size_t part = load->size - connection->received;
        if (part > left) part = left;
        const unsigned char *wanted = message(load, connection->descriptor, connection->echoed);
        require(connection->echoed != connection->sent
                    && memcmp(buffer + start, wanted + connection->received, part) == 0,
                "wrong bytes");
        start += part;
        left -= part;
        connection->received += part;
        if (connection->received < load->size) break;
        connection->received = 0;
        complete++;
        uint64_t sent_at = connection->sent_at[(connection->echoed++) % (unsigned)pipeline];
        if (!connection->is_excluded) count_message(load, now - sent_at);
    }
    if (complete > 0) send_messages(load, connection, complete);
}

static void connect_one(struct load *load, struct connection *connection) {
    int descriptor = connection->descriptor = connect_to(load->port);
    set_no_delay(descriptor);
    set_non_blocking(descriptor);
    connection->sent_at = calloc((size_t)pipeline, sizeof *connection->sent_at);
    CHECK(connection->sent_at != NULL, "calloc");
    set_events(load, EPOLL_CTL_ADD, descriptor, EPOLLIN, connection);
}

static void serve(struct load *load, const struct epoll_event *event) {
    struct connection *connection = event->data.ptr;
    if (event->events & EPOLLOUT && connection->waits) send_rest(load, connection);
    if (event->events & ~(uint32_t)EPOLLOUT) receive(load, connection);
}

/// The first connection gets an echo before the others connect, so that it is accepted first.
static void connect_all(struct load *load, int excludes_first) {
    connections = calloc((size_t)load->connection_count, sizeof *connections);
    buffer = aligned_alloc(4096, (load->size * (size_t)pipeline + 4095) & ~4095ul);
    CHECK(connections && buffer, "set-up");
    connect_one(load, &connections[0]);
    connections[0].is_excluded = excludes_first;
    send_messages(load, &connections[0], pipeline);
    uint64_t deadline = now_nanoseconds() + 5000000000u;
    while (connections[0].echoed < 1 && now_nanoseconds() < deadline) {
        run_until(load, now_nanoseconds() + 1000000);
    }
    errno = ETIMEDOUT;
    CHECK(connections[0].echoed >= 1, "the first echo");
    for (int i = 1; i < load->connection_count; i++) connect_one(load, &connections[i]);
    for (int i = 1; i < load->connection_count; i++) {
        send_messages(load, &connections[i], pipeline);
    }
}

int main(int count, char **arguments) {
    static struct load load = {.serve = serve, .connection_count = 64};
    load.size = (size_t)option(count, arguments, "--size", 64);
    pipeline = (int)option(count, arguments, "--pipeline", 1);
    prepare_load(&load, count, arguments);
    errno = EINVAL;
    CHECK(pipeline > 0, "--pipeline");
    connect_all(&load, has_option(count, arguments, "--exclude-first"));
    warm_up(&load);
    measure_and_print(&load);
}
