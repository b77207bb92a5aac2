#ifdef __linux__
#define _GNU_SOURCE
#include "CLinuxSignals.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

// Safety: all tables are written outside of handlers, under one lock, and read by handlers, with
// release and acquire accesses. Handlers write only `counts`.
static const struct sigaction *earlier[CLINUX_SIGNAL_END];
static bool counting[CLINUX_SIGNAL_END];
static uint64_t counts[CLINUX_SIGNAL_END];
static int wake_descriptor = -1;

// Runs in a signal handler: only calls that signal-safety(7) allows.
static void deliver(int number, siginfo_t *information, void *context) {
    if (__atomic_load_n(&counting[number], __ATOMIC_ACQUIRE)) {
        // Count before the write: the reader clears the descriptor first and takes the count
        // second.
        __atomic_fetch_add(&counts[number], 1, __ATOMIC_ACQ_REL);
        int interrupted = errno;
        uint64_t one = 1;
        // The write fails only when the eventfd is full, and then its reader is already woken.
        ssize_t written = write(wake_descriptor, &one, sizeof one);
        (void)written;
        errno = interrupted;
    }
    const struct sigaction *action = __atomic_load_n(&earlier[number], __ATOMIC_ACQUIRE);
    if (!action || !clinux_signal_is_function(action)) return;
    // An SA_RESETHAND handler must run only once.
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
    // Compare 64 signals: the kernel has no more, and the C library does not set the rest of
    // sigset_t.
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
