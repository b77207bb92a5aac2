#define _GNU_SOURCE
#include "CRingSignals.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

// Safety: all tables are written outside of handlers, under one lock, and read by handlers, with
// releasing and acquiring accesses. Only `counts` is written by handlers. One is added to levels in
// `counting`, so that 0 means none.
static const struct sigaction *earlier[CRING_SIGNAL_LEVELS][CRING_SIGNAL_END];
static int counting[CRING_SIGNAL_END];
static uint64_t counts[CRING_SIGNAL_END];
static int wake_descriptor = -1;

// In a signal handler: only what signal-safety(7) allows.
static void deliver(int level, int number, siginfo_t *information, void *context) {
    if (__atomic_load_n(&counting[number], __ATOMIC_ACQUIRE) == level + 1) {
        // Before the write: whoever reads the descriptor takes the count afterwards.
        __atomic_fetch_add(&counts[number], 1, __ATOMIC_ACQ_REL);
        int interrupted = errno;
        uint64_t one = 1;
        // It fails only when it is full, and then its reader is on its way.
        ssize_t written = write(wake_descriptor, &one, sizeof one);
        (void)written;
        errno = interrupted;
    }
    const struct sigaction *action = __atomic_load_n(&earlier[level][number], __ATOMIC_ACQUIRE);
    if (!action || !cring_signal_is_function(action)) return;
    // A handler for one delivery has to see no second one.
    if ((action->sa_flags & SA_RESETHAND)
        && !__atomic_compare_exchange_n(
            &earlier[level][number], &action, NULL, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
        return;
    }
    if (action->sa_flags & SA_SIGINFO) {
        action->sa_sigaction(number, information, context);
    } else {
        action->sa_handler(number);
    }
}

#define HANDLER(level)                                                                 \
    static void handler_##level(int number, siginfo_t *information, void *context) {   \
        deliver(level, number, information, context);                                  \
    }
HANDLER(0)
HANDLER(1)
HANDLER(2)
HANDLER(3)
HANDLER(4)
HANDLER(5)
HANDLER(6)
HANDLER(7)

static void (*const handlers[CRING_SIGNAL_LEVELS])(int, siginfo_t *, void *) = {
    handler_0, handler_1, handler_2, handler_3, handler_4, handler_5, handler_6, handler_7,
};

void cring_signal_set_wake(int descriptor) { wake_descriptor = descriptor; }

void cring_signal_prepare(struct sigaction *action, int level) {
    action->sa_sigaction = handlers[level];
    action->sa_flags |= SA_SIGINFO;
}

int cring_signal_level(const struct sigaction *action) {
    if (!(action->sa_flags & SA_SIGINFO)) return -1;
    for (int level = 0; level < CRING_SIGNAL_LEVELS; level++) {
        if (action->sa_sigaction == handlers[level]) return level;
    }
    return -1;
}

bool cring_signal_is_function(const struct sigaction *action) {
    return action->sa_handler != SIG_DFL && action->sa_handler != SIG_IGN;
}

bool cring_signal_is_same(const struct sigaction *one, const struct sigaction *other) {
    // The kernel knows 64 signals; the C library leaves the rest of its larger set alone.
    return one->sa_handler == other->sa_handler && one->sa_flags == other->sa_flags
        && memcmp(&one->sa_mask, &other->sa_mask, 8) == 0;
}

void cring_signal_set_earlier(int level, int number, const struct sigaction *action) {
    __atomic_store_n(&earlier[level][number], action, __ATOMIC_RELEASE);
}

const struct sigaction *cring_signal_earlier(int level, int number) {
    return __atomic_load_n(&earlier[level][number], __ATOMIC_ACQUIRE);
}

void cring_signal_set_counting(int number, int level) {
    __atomic_store_n(&counting[number], level + 1, __ATOMIC_RELEASE);
}

int cring_signal_counting(int number) {
    return __atomic_load_n(&counting[number], __ATOMIC_ACQUIRE) - 1;
}

uint64_t cring_signal_take_count(int number) {
    return __atomic_exchange_n(&counts[number], 0, __ATOMIC_ACQ_REL);
}
