// The cost of sending by send(2), by io_uring, and by io_uring without a copy (IORING_OP_SEND_ZC,
// with a registered buffer), over loopback TCP, by size. uring-zero-copy [--bytes 268435456];
// prints name=value lines: CPU nanoseconds of the sending thread per KiB.
#define _GNU_SOURCE
#include "peer.h"
#include <liburing.h>
#include <pthread.h>

enum { MOST_BYTES = 1 << 20, ROUNDS = 5 };

static char *memory;

/// Reads to the end of the stream.
static void *drain(void *argument) {
    int descriptor = (int)(intptr_t)argument;
    static char buffer[MOST_BYTES];
    while (recv(descriptor, buffer, sizeof buffer, 0) > 0) {}
    close(descriptor);
    return NULL;
}

static int connected(pthread_t *reader) {
    int listener = socket(AF_INET, SOCK_STREAM, 0);
    struct sockaddr_in address;
    socklen_t length = sizeof address;
    bind_to_loopback(listener, 0);
    CHECK(listen(listener, 1) == 0, "listen");
    CHECK(getsockname(listener, (struct sockaddr *)&address, &length) == 0, "getsockname");
    int client = connect_to(ntohs(address.sin_port));
    set_no_delay(client);
    int server = accept(listener, NULL, NULL);
    CHECK(server >= 0, "accept");
    close(listener);
    CHECK(pthread_create(reader, NULL, drain, (void *)(intptr_t)server) == 0, "pthread_create");
    return client;
}

/// Waits for the completion, and for the notification that the kernel has released the memory.
static int finish(struct io_uring *ring) {
    struct io_uring_cqe *completion;
    int result = 0;
    for (int more = 1; more;) {
        CHECK(io_uring_submit_and_wait(ring, 1) >= 0, "io_uring_submit_and_wait");
        CHECK(io_uring_peek_cqe(ring, &completion) == 0, "a completion");
        more = completion->flags & IORING_CQE_F_MORE;
        if (!(completion->flags & IORING_CQE_F_NOTIF)) result = completion->res;
        io_uring_cqe_seen(ring, completion);
    }
    return result;
}

static int send_once(struct io_uring *ring, int descriptor, size_t size, char kind) {
    if (kind == 's') return (int)send(descriptor, memory, size, MSG_NOSIGNAL);
    struct io_uring_sqe *entry = io_uring_get_sqe(ring);
    if (kind == 'r') {
        io_uring_prep_send(entry, descriptor, memory, size, MSG_NOSIGNAL);
    } else {
        io_uring_prep_send_zc_fixed(entry, descriptor, memory, size, MSG_NOSIGNAL, 0, 0);
    }
    return finish(ring);
}

/// CPU time of the calling thread, in nanoseconds per KiB.
static double measure(struct io_uring *ring, size_t size, char kind, uint64_t bytes) {
    pthread_t reader;
    int descriptor = connected(&reader);
    uint64_t sent = 0, start = clock_nanoseconds(CLOCK_THREAD_CPUTIME_ID);
    while (sent < bytes) {
        int count = send_once(ring, descriptor, size, kind);
        errno = count < 0 && kind != 's' ? -count : errno;
        CHECK(count > 0, "send");
        sent += (uint64_t)count;
    }
    uint64_t spent = clock_nanoseconds(CLOCK_THREAD_CPUTIME_ID) - start;
    close(descriptor);
    pthread_join(reader, NULL);
    return (double)spent * 1024 / (double)sent;
}

static int compare(const void *one, const void *other) {
    double a = *(const double *)one, b = *(const double *)other;
    return a < b ? -1 : a > b;
}

int main(int count, char **arguments) {
    uint64_t bytes = (uint64_t)option(count, arguments, "--bytes", 1 << 28);
    struct io_uring ring;
    errno = -io_uring_queue_init(8, &ring, IORING_SETUP_SINGLE_ISSUER);
    CHECK(errno == 0, "io_uring_queue_init");
    memory = aligned_alloc(4096, MOST_BYTES);
    CHECK(memory != NULL, "aligned_alloc");
    memset(memory, 1, MOST_BYTES);
    struct iovec registered = {.iov_base = memory, .iov_len = MOST_BYTES};
    errno = -io_uring_register_buffers(&ring, &registered, 1);
    CHECK(errno == 0, "io_uring_register_buffers");
    static const struct { char kind; const char *name; } kinds[] = {
        {'s', "send"}, {'r', "ring"}, {'z', "zero_copy"}};
    for (size_t size = 4096; size <= MOST_BYTES; size *= 4) {
        double results[3][ROUNDS];
        for (int round = 0; round < ROUNDS; round++) {
            for (int i = 0; i < 3; i++) {
                results[i][round] = measure(&ring, size, kinds[i].kind, bytes);
            }
        }
        for (int i = 0; i < 3; i++) {
            qsort(results[i], ROUNDS, sizeof(double), compare);
            printf("%s_%zu=%.1f\n", kinds[i].name, size, results[i][ROUNDS / 2]);
        }
    }
    return 0;
}
