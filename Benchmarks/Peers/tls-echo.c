// The plain TLS echo server: one thread, level-triggered epoll, OpenSSL on the sockets. What a
// socket has no room for is kept, and nothing more is read from its connection until it is sent.
//
// tls-echo --port P --certificate FILE --private-key FILE
#define _GNU_SOURCE
#include "tls.h"
#include <sys/epoll.h>

struct connection {
    int descriptor;
    uint32_t events;  // that epoll reports
    SSL *tls;
    char *rest;  // what the socket had no room for; NULL: nothing
    size_t sent, rest_count;
};

// Page-aligned: some processors copy twice as fast to such an address.
static char buffer[BUFFER_BYTES] __attribute__((aligned(4096)));

static void change(int epoll, int operation, int descriptor, uint32_t events, void *connection) {
    struct epoll_event event = {.events = events, .data.ptr = connection};
    CHECK(epoll_ctl(epoll, operation, descriptor, &event) == 0, "epoll_ctl");
}

static void accept_all(int epoll, int listener, SSL_CTX *context) {
    for (int descriptor; (descriptor = accept_one(listener)) >= 0;) {
        struct connection *connection = calloc(1, sizeof *connection);
        CHECK(connection != NULL, "calloc");
        *connection = (struct connection){
            .descriptor = descriptor, .events = EPOLLIN, .tls = SSL_new(context)};
        check_tls(connection->tls != NULL && SSL_set_fd(connection->tls, descriptor), "SSL_new");
        SSL_set_accept_state(connection->tls);
        change(epoll, EPOLL_CTL_ADD, descriptor, EPOLLIN, connection);
    }
}

static void end(int epoll, struct connection *connection) {
    change(epoll, EPOLL_CTL_DEL, connection->descriptor, 0, NULL);
    ERR_clear_error();
    SSL_free(connection->tls);
    close(connection->descriptor);
    free(connection->rest);
    free(connection);
}

/// After a result of at most 0: waits for what OpenSSL needs, or ends the connection.
static void wait_or_end(int epoll, struct connection *connection, int result) {
    int error = SSL_get_error(connection->tls, result);
    if (error != SSL_ERROR_WANT_READ && error != SSL_ERROR_WANT_WRITE) {
        if (error == SSL_ERROR_ZERO_RETURN) SSL_shutdown(connection->tls);
        end(epoll, connection);
        return;
    }
    uint32_t events = error == SSL_ERROR_WANT_READ ? EPOLLIN : EPOLLOUT;
    if (events == connection->events) return;
    connection->events = events;
    change(epoll, EPOLL_CTL_MOD, connection->descriptor, events, connection);
}

/// Adds the number of written bytes to `sent`. Returns 1, or OpenSSL's result if it stops.
static int write_all(SSL *tls, const char *bytes, size_t count, size_t *sent) {
    while (*sent < count) {
        int result = SSL_write(tls, bytes + *sent, (int)(count - *sent));
        if (result <= 0) return result;
        *sent += (size_t)result;
    }
    return 1;
}

static void keep(struct connection *connection, const char *bytes, size_t count) {
    connection->rest = malloc(count);
    CHECK(connection->rest != NULL, "malloc");
    memcpy(connection->rest, bytes, count);
    connection->sent = 0;
    connection->rest_count = count;
}

static void serve(int epoll, struct connection *connection) {
    SSL *tls = connection->tls;
    int result;
    if (connection->rest != NULL) {
        result = write_all(tls, connection->rest, connection->rest_count, &connection->sent);
        if (result <= 0) {
            wait_or_end(epoll, connection, result);
            return;
        }
        free(connection->rest);
        connection->rest = NULL;
    }
    do {
        result = SSL_read(tls, buffer, sizeof buffer);
        if (result <= 0) break;
        size_t sent = 0, count = (size_t)result;
        result = write_all(tls, buffer, count, &sent);
        if (result <= 0) keep(connection, buffer + sent, count - sent);
    } while (result > 0 && SSL_has_pending(tls));
    if (result <= 0) {
        wait_or_end(epoll, connection, result);
    } else if (connection->events != EPOLLIN) {
        connection->events = EPOLLIN;
        change(epoll, EPOLL_CTL_MOD, connection->descriptor, EPOLLIN, connection);
    }
}

static const char *text_option(int count, char **arguments, const char *name) {
    for (int i = 1; i + 1 < count; i++) {
        if (strcmp(arguments[i], name) == 0) return arguments[i + 1];
    }
    fprintf(stderr, "%s is missing\n", name);
    exit(1);
}

int main(int count, char **arguments) {
    SSL_CTX *context = new_context(TLS_server_method());
    check_tls(SSL_CTX_set_num_tickets(context, 0), "tickets");
    check_tls(SSL_CTX_use_certificate_chain_file(
                  context, text_option(count, arguments, "--certificate")),
              "--certificate");
    check_tls(SSL_CTX_use_PrivateKey_file(context, text_option(count, arguments, "--private-key"),
                                          SSL_FILETYPE_PEM),
              "--private-key");
    int listener = listen_and_announce((int)option(count, arguments, "--port", 0), SOCK_NONBLOCK);
    int epoll = epoll_create1(EPOLL_CLOEXEC);
    CHECK(epoll >= 0, "epoll_create1");
    change(epoll, EPOLL_CTL_ADD, listener, EPOLLIN, NULL);
    for (;;) {
        struct epoll_event events[EVENTS_PER_WAIT];
        int ready = epoll_wait(epoll, events, EVENTS_PER_WAIT, -1);
        CHECK(ready >= 0 || errno == EINTR, "epoll_wait");
        for (int i = 0; i < ready; i++) {
            if (events[i].data.ptr == NULL) {
                accept_all(epoll, listener, context);
            } else {
                serve(epoll, events[i].data.ptr);
            }
        }
    }
}
