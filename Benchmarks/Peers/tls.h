// Shared by tls-echo and tls-load: OpenSSL's context.
#ifndef TLS_H
#define TLS_H

#include "peer.h"
#include <openssl/err.h>
#include <openssl/ssl.h>

// Room for a message of 64 KiB in four records, which one read(2) then receives.
enum { READ_AHEAD_BYTES = 65536 + 4 * 256, BUFFER_BYTES = 65536 };

static inline void check_tls(int is_good, const char *what) {
    if (is_good) return;
    fprintf(stderr, "%s: ", what);
    ERR_print_errors_fp(stderr);
    exit(1);
}

/// TLS 1.3 without tickets, for non-blocking sockets: a write sends what there is room for.
static inline SSL_CTX *new_context(const SSL_METHOD *method) {
    // OpenSSL uses write(2).
    signal(SIGPIPE, SIG_IGN);
    SSL_CTX *context = SSL_CTX_new(method);
    check_tls(context != NULL, "SSL_CTX_new");
    check_tls(SSL_CTX_set_min_proto_version(context, TLS1_3_VERSION), "TLS 1.3");
    SSL_CTX_set_options(context, SSL_OP_NO_TICKET);
    SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
    SSL_CTX_set_mode(context,
                     SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
    SSL_CTX_set_read_ahead(context, 1);
    SSL_CTX_set_default_read_buffer_len(context, READ_AHEAD_BYTES);
    return context;
}

#endif
