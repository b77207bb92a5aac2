// The load client of TLS servers. Verifies every byte, but not the certificate.
//
// tls-load --port P [--connections 64] [--size 64] [--warmup 0.5] [--seconds 2] [--server-pid PID]
// Prints key=value lines; cipher is the number of the suite that TLS 1.3 has chosen.
#define _GNU_SOURCE
#include "load.h"
#include "tls.h"

struct connection {
    int descriptor;
    SSL *tls;
    unsigned sequence;
    size_t written, received;  // bytes of the current message
    int waits;                 // for room
    uint64_t sent_at;
};

// Page-aligned: some processors copy twice as fast to such an address.
static unsigned char buffer[BUFFER_BYTES] __attribute__((aligned(4096)));
static long cipher;

/// Whether OpenSSL only waits. Other errors end the program.
static int waits(const struct connection *connection, int result, int reason) {
    int error = SSL_get_error(connection->tls, result);
    if (error == reason) return 1;
    if (error == SSL_ERROR_ZERO_RETURN) fprintf(stderr, "the server closed a connection\n");
    check_tls(0, "TLS");
    return 0;
}

static void write_some(struct load *load, struct connection *connection) {
    const unsigned char *bytes = message(load, connection->descriptor, connection->sequence);
    int result = 1;
    while (connection->written < load->size) {
        result = SSL_write(connection->tls, bytes + connection->written,
                           (int)(load->size - connection->written));
        if (result <= 0) break;
        connection->written += (size_t)result;
    }
    int has_waited = connection->waits;
    connection->waits = result <= 0 && waits(connection, result, SSL_ERROR_WANT_WRITE);
    if (connection->waits == has_waited) return;
    set_events(load, EPOLL_CTL_MOD, connection->descriptor,
               connection->waits ? EPOLLIN | EPOLLOUT : EPOLLIN, connection);
}

static void begin_message(struct load *load, struct connection *connection) {
    connection->sequence++;
    connection->written = connection->received = 0;
    connection->sent_at = now_nanoseconds();
    write_some(load, connection);
}

static void serve(struct load *load, const struct epoll_event *event) {
    struct connection *connection = event->data.ptr;
    if (connection->waits) write_some(load, connection);
    do {
        int count = SSL_read(connection->tls, buffer, sizeof buffer);
        if (count <= 0) {
            waits(connection, count, SSL_ERROR_WANT_READ);
            return;
        }
        const unsigned char *wanted = message(load, connection->descriptor, connection->sequence);
        require(connection->received + (size_t)count <= connection->written
                    && memcmp(buffer, wanted + connection->received, (size_t)count) == 0,
                "wrong bytes");
        connection->received += (size_t)count;
        if (connection->received < load->size) continue;
        count_message(load, now_nanoseconds() - connection->sent_at);
        begin_message(load, connection);
    } while (SSL_has_pending(connection->tls));
}

/// Connects, and shakes hands before the socket becomes non-blocking.
static void connect_one(struct load *load, SSL_CTX *context, struct connection *connection) {
    int descriptor = connect_to(load->port);
    set_no_delay(descriptor);
    *connection = (struct connection){.descriptor = descriptor, .tls = SSL_new(context)};
    check_tls(connection->tls != NULL && SSL_set_fd(connection->tls, descriptor), "SSL_new");
    check_tls(SSL_connect(connection->tls) == 1, "the handshake");
    cipher = SSL_CIPHER_get_protocol_id(SSL_get_current_cipher(connection->tls));
    set_non_blocking(descriptor);
    set_events(load, EPOLL_CTL_ADD, descriptor, EPOLLIN, connection);
}

int main(int count, char **arguments) {
    static struct load load = {.serve = serve, .connection_count = 64};
    load.size = (size_t)option(count, arguments, "--size", 64);
    prepare_load(&load, count, arguments);
    SSL_CTX *context = new_context(TLS_client_method());
    struct connection *connections = calloc((size_t)load.connection_count, sizeof *connections);
    CHECK(connections != NULL, "calloc");
    for (int i = 0; i < load.connection_count; i++) connect_one(&load, context, &connections[i]);
    for (int i = 0; i < load.connection_count; i++) begin_message(&load, &connections[i]);
    warm_up(&load);
    measure_and_print(&load);
    printf("cipher=%ld\n", cipher);
}
