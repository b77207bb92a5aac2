// OpenSSL for Swift: inline functions for the macros that Swift cannot import. No logic.
//
// This is a system library target with all code in its header, and not a C target. SwiftPM compiles
// every C target of the root package regardless of traits, which fails without OpenSSL's headers.
// It reads a system library, and asks pkg-config for it, only if a module imports it; RingTLS does
// so only with the trait TLS.
#ifndef CTLS_SHIM_H
#define CTLS_SHIM_H

#if !__has_include(<openssl/ssl.h>)
#error "the trait TLS needs OpenSSL's headers: apt-get install libssl-dev, or build without it"
#endif

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/opensslv.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

#if OPENSSL_VERSION_MAJOR < 3
#error "the trait TLS needs OpenSSL 3"
#endif

// MARK: contexts

static const uint64_t CTLS_OPTIONS = SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION
    | SSL_OP_CIPHER_SERVER_PREFERENCE;
static const uint64_t CTLS_NO_TICKET = SSL_OP_NO_TICKET;

static inline long ctls_context_set_minimum(SSL_CTX *context, int version) {
    return SSL_CTX_set_min_proto_version(context, version);
}

static inline long ctls_context_set_maximum(SSL_CTX *context, int version) {
    return SSL_CTX_set_max_proto_version(context, version);
}

static inline void ctls_context_set_mode(SSL_CTX *context, long mode) {
    SSL_CTX_set_mode(context, mode);
}

static inline void ctls_context_set_cache_mode(SSL_CTX *context, long mode) {
    SSL_CTX_set_session_cache_mode(context, mode);
}

static inline void ctls_context_set_maximum_certificate_list(SSL_CTX *context, long bytes) {
    SSL_CTX_set_max_cert_list(context, bytes);
}

static inline long ctls_context_add_chain(SSL_CTX *context, X509 *certificate) {
    return SSL_CTX_add1_chain_cert(context, certificate);
}

static inline void ctls_context_set_server_name_callback(
    SSL_CTX *context, int (*callback)(SSL *, int *, void *)) {
    SSL_CTX_set_tlsext_servername_callback(context, callback);
}

// MARK: connections

static inline long ctls_set_minimum(SSL *ssl, int version) {
    return SSL_set_min_proto_version(ssl, version);
}

static inline long ctls_set_maximum(SSL *ssl, int version) {
    return SSL_set_max_proto_version(ssl, version);
}

static inline long ctls_set_server_name(SSL *ssl, const char *name) {
    return SSL_set_tlsext_host_name(ssl, name);
}

static inline const char *ctls_cipher_name(const SSL *ssl) { return SSL_get_cipher_name(ssl); }

// MARK: input and output

static inline void ctls_bio_set_retry_read(BIO *bio) { BIO_set_retry_read(bio); }
static inline void ctls_bio_clear_retry(BIO *bio) { BIO_clear_retry_flags(bio); }

// MARK: stacks of certificates

static inline int ctls_certificate_count(const STACK_OF(X509) *stack) {
    return stack ? sk_X509_num(stack) : 0;
}

static inline X509 *ctls_certificate(const STACK_OF(X509) *stack, int index) {
    return sk_X509_value(stack, index);
}

#endif
