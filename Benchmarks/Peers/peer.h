// Shared by the C servers and load clients: errors, options, a listening socket.
#ifndef PEER_H
#define PEER_H

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { EVENTS_PER_WAIT = 256 };

#define CHECK(condition, what)                                                                     \
    do {                                                                                           \
        if (!(condition)) fail(what);                                                              \
    } while (0)

static inline void fail(const char *what) {
    fprintf(stderr, "%s: %s\n", what, strerror(errno));
    exit(1);
}

/// Like CHECK, for what errno does not explain.
static inline void require(int condition, const char *what) {
    if (condition) return;
    fprintf(stderr, "%s\n", what);
    exit(1);
}

static inline uint64_t clock_nanoseconds(clockid_t clock) {
    struct timespec time;
    clock_gettime(clock, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

static inline uint64_t now_nanoseconds(void) { return clock_nanoseconds(CLOCK_MONOTONIC); }

/// The value after `name` in the arguments; `missing` without it.
static inline double option(int count, char **arguments, const char *name, double missing) {
    for (int i = 1; i + 1 < count; i++) {
        if (strcmp(arguments[i], name) == 0) return atof(arguments[i + 1]);
    }
    return missing;
}

static inline int has_option(int count, char **arguments, const char *name) {
    for (int i = 1; i < count; i++) {
        if (strcmp(arguments[i], name) == 0) return 1;
    }
    return 0;
}

static inline struct sockaddr_in loopback(int port) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return address;
}

static inline void set_no_delay(int descriptor) {
    int on = 1;
    CHECK(setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on) == 0, "TCP_NODELAY");
}

static inline void bind_to_loopback(int descriptor, int port) {
    struct sockaddr_in address = loopback(port);
    CHECK(bind(descriptor, (struct sockaddr *)&address, sizeof address) == 0, "bind");
}

/// Prints the line that compare.sh waits for.
static inline void announce(int descriptor) {
    struct sockaddr_in address;
    socklen_t size = sizeof address;
    CHECK(getsockname(descriptor, (struct sockaddr *)&address, &size) == 0, "getsockname");
    printf("listening on 127.0.0.1:%d\n", ntohs(address.sin_port));
    fflush(stdout);
}

static inline int listen_and_announce(int port, int socket_flags) {
    int listener = socket(AF_INET, SOCK_STREAM | socket_flags, 0);
    CHECK(listener >= 0, "socket");
    int on = 1;
    CHECK(setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) == 0, "SO_REUSEADDR");
    bind_to_loopback(listener, port);
    CHECK(listen(listener, SOMAXCONN) == 0, "listen");
    announce(listener);
    return listener;
}

static inline int connect_to(int port) {
    struct sockaddr_in address = loopback(port);
    int descriptor = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    CHECK(descriptor >= 0, "socket");
    CHECK(connect(descriptor, (struct sockaddr *)&address, sizeof address) == 0, "connect");
    return descriptor;
}

static inline void set_non_blocking(int descriptor) {
    CHECK(fcntl(descriptor, F_SETFL, O_NONBLOCK) == 0, "O_NONBLOCK");
}

/// Accepts a connection without delay and without blocking; returns -1 if none is waiting.
static inline int accept_one(int listener) {
    int descriptor = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (descriptor >= 0) {
        set_no_delay(descriptor);
    } else {
        CHECK(errno == EAGAIN || errno == EINTR || errno == ECONNABORTED, "accept4");
    }
    return descriptor;
}

/// Returns the number of bytes sent, or -1.
static inline ssize_t send_some(int descriptor, const char *bytes, size_t count) {
    ssize_t sent;
    do {
        sent = send(descriptor, bytes, count, MSG_NOSIGNAL);
    } while (sent < 0 && errno == EINTR);
    return sent < 0 && errno == EAGAIN ? 0 : sent;
}

#endif
