// The plain io_uring file reader: one thread, several reads in flight into the same few buffers.
// uring-read PATH [--rounds 9] [--depth 4] [--block 262144]; prints key=value lines.
#define _GNU_SOURCE
#include "peer.h"
#include <liburing.h>
#include <sys/stat.h>

enum { MOST_ROUNDS = 1000, MOST_DEPTH = 64 };

static int compare(const void *one, const void *other) {
    uint64_t a = *(const uint64_t *)one, b = *(const uint64_t *)other;
    return a < b ? -1 : a > b;
}

static void submit(struct io_uring *ring, int file, char *buffer, size_t block, uint64_t offset,
                   unsigned slot) {
    struct io_uring_sqe *entry = io_uring_get_sqe(ring);
    CHECK(entry != NULL, "io_uring_get_sqe");
    io_uring_prep_read(entry, file, buffer, (unsigned)block, offset);
    io_uring_sqe_set_data64(entry, slot);
}

/// Reads the whole file; returns the number of bytes.
static uint64_t read_once(struct io_uring *ring, const char *path, char *memory, unsigned depth,
                          size_t block) {
    int file = open(path, O_RDONLY);
    CHECK(file >= 0, path);
    struct stat facts;
    CHECK(fstat(file, &facts) == 0, "fstat");
    uint64_t size = (uint64_t)facts.st_size, offset = 0, total = 0;
    unsigned in_flight = 0;
    for (unsigned slot = 0; slot < depth && offset < size; slot++, offset += block, in_flight++) {
        submit(ring, file, memory + slot * block, block, offset, slot);
    }
    while (in_flight > 0) {
        CHECK(io_uring_submit_and_wait(ring, 1) >= 0, "io_uring_submit_and_wait");
        struct io_uring_cqe *completion;
        while (io_uring_peek_cqe(ring, &completion) == 0) {
            unsigned slot = (unsigned)completion->user_data;
            errno = completion->res < 0 ? -completion->res : 0;
            CHECK(completion->res > 0, "read");
            total += (uint64_t)completion->res;
            io_uring_cqe_seen(ring, completion);
            in_flight--;
            if (offset < size) {
                submit(ring, file, memory + slot * block, block, offset, slot);
                offset += block;
                in_flight++;
            }
        }
    }
    close(file);
    return total;
}

int main(int count, char **arguments) {
    errno = EINVAL;
    CHECK(count > 1, "usage: uring-read PATH [--rounds 9] [--depth 4] [--block 262144]");
    unsigned rounds = (unsigned)option(count, arguments, "--rounds", 9);
    unsigned depth = (unsigned)option(count, arguments, "--depth", 4);
    size_t block = (size_t)option(count, arguments, "--block", 262144);
    CHECK(rounds > 0 && rounds <= MOST_ROUNDS && depth > 0 && depth <= MOST_DEPTH && block > 0,
          "options");
    static uint64_t times[MOST_ROUNDS], processor[MOST_ROUNDS];
    struct io_uring ring;
    errno = -io_uring_queue_init(MOST_DEPTH, &ring, IORING_SETUP_SINGLE_ISSUER);
    CHECK(errno == 0, "io_uring_queue_init");
    char *memory = aligned_alloc(4096, depth * block);
    CHECK(memory != NULL, "aligned_alloc");
    uint64_t bytes = read_once(&ring, arguments[1], memory, depth, block);
    for (unsigned round = 0; round < rounds; round++) {
        uint64_t start = now_nanoseconds();
        uint64_t start_processor = clock_nanoseconds(CLOCK_PROCESS_CPUTIME_ID);
        read_once(&ring, arguments[1], memory, depth, block);
        times[round] = now_nanoseconds() - start;
        processor[round] = clock_nanoseconds(CLOCK_PROCESS_CPUTIME_ID) - start_processor;
    }
    qsort(times, rounds, sizeof *times, compare);
    qsort(processor, rounds, sizeof *processor, compare);
    printf("bytes=%llu\nns=%llu\ncpu_ns=%llu\n", (unsigned long long)bytes,
           (unsigned long long)times[rounds / 2], (unsigned long long)processor[rounds / 2]);
    return 0;
}
