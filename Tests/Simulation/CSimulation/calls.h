// For the C library's functions that serve simulated descriptors themselves.
#pragma once

#include "kernel.h"

#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>

// syscall(2) of the C library.
long (*real_syscall(void))(long, ...);

// Passes a call on to the kernel of the machine: its number and arguments.
#define FORWARD_UNLESS(is_ours, ...) \
    if (!(is_ours)) return real_syscall()(__VA_ARGS__)
#define FORWARD(descriptor, ...) FORWARD_UNLESS(is_simulated(descriptor), __VA_ARGS__)

// Passes the call on, or makes a step and finds the open file.
#define SERVE(call, descriptor, ...) \
    FORWARD(descriptor, __VA_ARGS__); \
    enter(call); \
    struct file *file = file_of(descriptor); \
    if (!file) return done(call, descriptor, 0, -EBADF)

// A system call changes what other threads see, so earlier stores of the thread must be seen first.
static inline void enter(const char *call) {
    drain_stores();
    step(call);
}

static inline long finish(long result) {
    if (result >= 0) return result;
    errno = (int)-result;
    return -1;
}

// Records the result of a call, which is a negated errno if negative.
static inline long done(const char *call, long first, long second, long result) {
    record(call, first, second, result);
    return finish(result);
}

static inline bool blocks(const struct file *file, int flags) {
    return !file->is_non_blocking && !(flags & MSG_DONTWAIT);
}
