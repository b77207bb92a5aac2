// io_uring as a batch of sends uses it. The call carries out all entries that it takes.
#define _GNU_SOURCE
#include "calls.h"

#include <liburing.h>
#include <stdlib.h>

// Rings have numbers above all descriptors.
enum { MOST_RINGS = 64 };
static struct io_uring *rings[MOST_RINGS];

int io_uring_queue_init_params(
    unsigned entries, struct io_uring *ring, struct io_uring_params *parameters) {
    if (parameters->flags != 0) not_simulated("io_uring_setup", -1, parameters->flags);
    int number = 0;
    while (number < MOST_RINGS && rings[number]) number++;
    if (number == MOST_RINGS) return -ENFILE;
    unsigned *words = calloc(4, sizeof *words);
    ring->sq.khead = words;
    ring->sq.ktail = words + 1;
    ring->sq.array = calloc(entries, sizeof *ring->sq.array);
    ring->sq.sqes = calloc(entries, sizeof *ring->sq.sqes);
    ring->sq.ring_entries = entries;
    ring->sq.ring_mask = entries - 1;
    ring->cq.khead = words + 2;
    ring->cq.ktail = words + 3;
    ring->cq.cqes = calloc(2 * entries, sizeof *ring->cq.cqes);
    ring->cq.ring_entries = 2 * entries;
    ring->cq.ring_mask = 2 * entries - 1;
    ring->ring_fd = MOST_DESCRIPTORS + number;
    rings[number] = ring;
    return 0;
}

void io_uring_queue_exit(struct io_uring *ring) {
    rings[ring->ring_fd - MOST_DESCRIPTORS] = NULL;
    free(ring->sq.khead);
    free(ring->sq.array);
    free(ring->sq.sqes);
    free(ring->cq.cqes);
}

static void complete(struct io_uring *ring, const struct io_uring_sqe *entry, long result) {
    // A send with MSG_WAITALL that does not take all bytes has failed.
    if (result == entry->len && entry->flags & IOSQE_CQE_SKIP_SUCCESS) return;
    ring->cq.cqes[*ring->cq.ktail & ring->cq.ring_mask] =
        (struct io_uring_cqe){.user_data = entry->user_data, .res = (int)result};
    ++*ring->cq.ktail;
}

static void carry_out(struct io_uring *ring, const struct io_uring_sqe *entry) {
    int flags = (int)entry->msg_flags;
    if (entry->opcode != IORING_OP_SEND || !(flags & MSG_WAITALL)) {
        not_simulated("io_uring_enter", entry->fd, entry->opcode);
    }
    long result;
    do {
        result = send(
            entry->fd, (const void *)(uintptr_t)entry->addr, entry->len, flags & ~MSG_WAITALL);
    } while (result < 0 && errno == EINTR);
    complete(ring, entry, result < 0 ? -errno : result);
}

long enter_ring(int descriptor, unsigned count, unsigned flags) {
    static const int refusals[] = {ENOMEM, EAGAIN, EBUSY, EINTR};
    enter("io_uring_enter");
    struct io_uring *ring = rings[descriptor - MOST_DESCRIPTORS];
    if (flags != 0) not_simulated("io_uring_enter", descriptor, flags);
    long result = count;
    if (misbehaves(SIMULATION_ENTER_ERRORS)) {
        bool is_refused = count < 2 || random_below(2);
        result = is_refused ? -refusals[random_below(4)] : 1 + (long)random_below(count - 1);
    }
    for (long index = 0; index < result; index++) {
        unsigned place = ring->sq.array[*ring->sq.khead & ring->sq.ring_mask];
        carry_out(ring, &ring->sq.sqes[place]);
        ++*ring->sq.khead;
    }
    record("io_uring_enter", descriptor, count, result);
    return result;
}
