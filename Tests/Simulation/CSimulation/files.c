// Descriptors, what they refer to, and waiting for any of it.
#include "kernel.h"

#include <stdio.h>
#include <stdlib.h>

static struct {
    struct file *file;
} descriptors[MOST_DESCRIPTORS];
static long last_identity;
// What threads wait on that wait for files.
static char any_file;

_Noreturn void not_simulated(const char *call, int descriptor, long argument) {
    static char reason[128];
    snprintf(
        reason, sizeof reason, "%s of descriptor %d with %ld is not simulated", call, descriptor,
        argument);
    simulation_fail(reason);
}

struct file *make_file(enum kind kind) {
    struct file *file = calloc(1, sizeof *file);
    file->kind = kind;
    file->references = 1;
    file->identity = ++last_identity;
    return file;
}

struct file *hold(struct file *file) {
    file->references++;
    return file;
}

void let_go(struct file *file) {
    if (--file->references > 0) return;
    leave_sets(file);
    switch (file->kind) {
    case TCP:
    case UNIX:
    case PIPE:
        close_stream(file);
        free(file->in.bytes);
        break;
    case LISTENER:
        close_listener(file);
        break;
    case EPOLL:
        close_set(file);
        break;
    case EVENT:
        break;
    }
    free(file);
}

bool is_simulated(int descriptor) {
    return current_thread && descriptor >= FIRST_DESCRIPTOR && descriptor < MOST_DESCRIPTORS;
}

struct file *file_of(int descriptor) {
    return is_simulated(descriptor) ? descriptors[descriptor].file : NULL;
}

int add_descriptor(struct file *file, bool closes_on_exec) {
    (void)closes_on_exec;
    for (int number = FIRST_DESCRIPTOR; number < MOST_DESCRIPTORS; number++) {
        if (descriptors[number].file) continue;
        descriptors[number].file = file;
        return number;
    }
    return -EMFILE;
}

int close_descriptor(int descriptor) {
    struct file *file = file_of(descriptor);
    if (!file) return -EBADF;
    descriptors[descriptor].file = NULL;
    let_go(file);
    return 0;
}

int duplicate(int descriptor, int number) {
    struct file *file = file_of(descriptor);
    if (!file) return -EBADF;
    if (number < 0) return add_descriptor(hold(file), true);
    if (!is_simulated(number)) not_simulated("dup3", descriptor, number);
    hold(file);
    if (descriptors[number].file) close_descriptor(number);
    descriptors[number].file = file;
    return number;
}

unsigned simulation_open_descriptors(void) {
    unsigned count = 0;
    for (int number = 0; number < MOST_DESCRIPTORS; number++) {
        if (!descriptors[number].file) continue;
        count++;
        record("still open", number, descriptors[number].file->kind, 0);
    }
    return count;
}

uint64_t simulation_received(int descriptor) {
    struct file *file = file_of(descriptor);
    return file ? file->announcements : 0;
}

uint32_t poll_file(struct file *file) {
    switch (file->kind) {
    case TCP:
    case UNIX:
    case PIPE:
        return poll_stream(file);
    case LISTENER:
        return file->waiting_count > 0 ? POLLIN | POLLRDNORM : 0;
    case EVENT:
        return POLLOUT | POLLWRNORM | (file->counter > 0 ? POLLIN | POLLRDNORM : 0);
    case EPOLL:
        return set_is_ready(file) ? POLLIN | POLLRDNORM : 0;
    }
    return 0;
}

void announce(struct file *file, uint32_t events) {
    file->activity++;
    if (events == 0 || (events & POLLIN)) file->announcements++;
    announce_to_sets(file, events);
    wake_channel(file, MOST_THREADS);
    wake_channel(&any_file, MOST_THREADS);
}

bool wait_for_files(uint64_t deadline, const char *reason, long detail) {
    return wait_for(&any_file, deadline, reason, detail);
}
