#ifdef __linux__
#define _GNU_SOURCE
#include "CLinuxSignals.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

// Safety: all tables are written outside of handlers, under one lock, and read by handlers, with
// releasing and acquiring accesses. Only `counts` is written by handlers.
static const struct sigaction *earlier[CLINUX_SIGNAL_END];
static bool counting[CLINUX_SIGNAL_END];
static uint64_t counts[CLINUX_SIGNAL_END];
static int wake_descriptor = -1;

// In a signal handler: only what signal-safety(7) allows.
static void deliver(int number, siginfo_t *information, void *context) {
    if (__atomic_load_n(&counting[number], __ATOMIC_ACQUIRE)) {
        // Before the write: the reader of the descriptor takes the count afterwards.
        __atomic_fetch_add(&counts[number], 1, __ATOMIC_ACQ_REL);
        int interrupted = errno;
        uint64_t one = 1;
        // It fails only when it is full, and then its reader is on its way.
        ssize_t written = write(wake_descriptor, &one, sizeof one);
        (void)written;
        errno = interrupted;
    }
    const struct sigaction *action = __atomic_load_n(&earlier[number], __ATOMIC_ACQUIRE);
    if (!action || !clinux_signal_is_function(action)) return;
    // A handler for one delivery has to see no second one.
    if ((action->sa_flags & SA_RESETHAND)
        && !__atomic_compare_exchange_n(
            &earlier[number], &action, NULL, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
        return;
    }
    if (action->sa_flags & SA_SIGINFO) {
        action->sa_sigaction(number, information, context);
    } else {
        action->sa_handler(number);
    }
}

void clinux_signal_set_wake(int descriptor) { wake_descriptor = descriptor; }

void clinux_signal_prepare(struct sigaction *action) {
    action->sa_sigaction = deliver;
    action->sa_flags |= SA_SIGINFO;
}

bool clinux_signal_is_ours(const struct sigaction *action) {
    return (action->sa_flags & SA_SIGINFO) && action->sa_sigaction == deliver;
}

bool clinux_signal_is_function(const struct sigaction *action) {
    return action->sa_handler != SIG_DFL && action->sa_handler != SIG_IGN;
}

bool clinux_signal_is_same(const struct sigaction *one, const struct sigaction *other) {
    // The kernel knows 64 signals; the C library leaves the rest of its larger set alone.
    return one->sa_handler == other->sa_handler && one->sa_flags == other->sa_flags
        && memcmp(&one->sa_mask, &other->sa_mask, 8) == 0;
}

void clinux_signal_set_earlier(int number, const struct sigaction *action) {
    __atomic_store_n(&earlier[number], action, __ATOMIC_RELEASE);
}

const struct sigaction *clinux_signal_earlier(int number) {
    return __atomic_load_n(&earlier[number], __ATOMIC_ACQUIRE);
}

void clinux_signal_set_counting(int number, bool is_counting) {
    __atomic_store_n(&counting[number], is_counting, __ATOMIC_RELEASE);
}

uint64_t clinux_signal_take_count(int number) {
    return __atomic_exchange_n(&counts[number], 0, __ATOMIC_ACQ_REL);
}

#endif
