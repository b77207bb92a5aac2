#define _GNU_SOURCE
#include "CLinux.h"

#ifdef __linux__

#include <fcntl.h>
#include <linux/ioprio.h>
#include <linux/membarrier.h>
#include <linux/openat2.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/uio.h>

_Thread_local void *clinux_thread_value;

// liburing maps and unmaps ring memory with system calls that ThreadSanitizer does not see. If a
// new ring gets the address of a closed one, the tool takes both for the same. This declares that
// accesses to closed rings happened before.
#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define CLINUX_THREAD_SANITIZER
void __tsan_acquire(void *address);
void __tsan_release(void *address);
static char closed_rings;
#endif
#endif

int clinux_open_ring(unsigned entries, struct io_uring *ring, struct io_uring_params *parameters) {
    int result = io_uring_queue_init_params(entries, ring, parameters);
#ifdef CLINUX_THREAD_SANITIZER
    __tsan_acquire(&closed_rings);
#endif
    return result;
}

void clinux_close_ring(struct io_uring *ring) {
#ifdef CLINUX_THREAD_SANITIZER
    __tsan_release(&closed_rings);
#endif
    io_uring_queue_exit(ring);
}

bool clinux_reap(struct io_uring *ring, struct io_uring_cqe *completion) {
    unsigned head = *ring->cq.khead;
    if (head == __atomic_load_n(ring->cq.ktail, __ATOMIC_ACQUIRE)) return false;
    *completion = ring->cq.cqes[head & ring->cq.ring_mask];
    __atomic_store_n(ring->cq.khead, head + 1, __ATOMIC_RELEASE);
    return true;
}

// liburing's own submit functions assume one thread, or a ring descriptor registered by it. Several
// threads use a ring, one at a time, so they enter with the plain descriptor.
//
// Publishes prepared entries. Returns how many the kernel has not taken.
static unsigned publish(struct io_uring_sq *sq) {
    unsigned tail = *sq->ktail;
    while (sq->sqe_head != sq->sqe_tail) {
        sq->array[tail & sq->ring_mask] = sq->sqe_head & sq->ring_mask;
        tail++;
        sq->sqe_head++;
    }
    __atomic_store_n(sq->ktail, tail, __ATOMIC_RELEASE);
    return tail - __atomic_load_n(sq->khead, __ATOMIC_ACQUIRE);
}

int clinux_submit(struct io_uring *ring) {
    unsigned count = publish(&ring->sq);
    long result = syscall(__NR_io_uring_enter, ring->ring_fd, count, 0, 0, NULL, 0);
    return result < 0 ? -errno : (int)publish(&ring->sq);
}

// Linux 6.15: a thread that waits in the ring does not count as waiting for a disk. Otherwise the
// tools show an idle process as I/O wait of a whole CPU.
enum { FEATURE_NO_IOWAIT = 1 << 17, ENTER_NO_IOWAIT = 1 << 7 };

int clinux_enter(
    struct io_uring *ring, unsigned wait_count, const struct __kernel_timespec *timeout) {
    unsigned submit = publish(&ring->sq);

    struct io_uring_getevents_arg argument;
    memset(&argument, 0, sizeof argument);
    argument.ts = (uint64_t)(uintptr_t)timeout;
    unsigned flags = IORING_ENTER_GETEVENTS | IORING_ENTER_EXT_ARG;
    if (ring->features & FEATURE_NO_IOWAIT) flags |= ENTER_NO_IOWAIT;
    long result = syscall(
        __NR_io_uring_enter, ring->ring_fd, submit, wait_count, flags, &argument, sizeof argument);
    return result < 0 ? -errno : (int)result;
}

long clinux_futex_wait(uint32_t *word, uint32_t expected, const struct timespec *deadline) {
#ifdef CLINUX_THREAD_SANITIZER
    // The tool keeps a signal until the thread makes a call that the tool intercepts. So the wait
    // ends after a signal, which a wait without a deadline does not, and soon after a missed one.
    struct timespec soon;
    if (!deadline) {
        clock_gettime(CLOCK_MONOTONIC, &soon);
        soon.tv_sec++;
        deadline = &soon;
    }
#endif
    long result = syscall(
        SYS_futex, word, FUTEX_WAIT_BITSET | FUTEX_PRIVATE_FLAG, expected, deadline, NULL,
        FUTEX_BITSET_MATCH_ANY);
    if (result >= 0) return result;
    result = -errno;
#ifdef CLINUX_THREAD_SANITIZER
    usleep(0);
#endif
    return result;
}

long clinux_futex_wake(uint32_t *word) {
    return syscall(SYS_futex, word, FUTEX_WAKE | FUTEX_PRIVATE_FLAG, 1, NULL, NULL, 0);
}

int clinux_supports(struct io_uring *ring, int operation) {
    enum { MOST = 256 };
    struct io_uring_probe *probe =
        calloc(1, sizeof *probe + MOST * sizeof(struct io_uring_probe_op));
    if (!probe) return -ENOMEM;
    int result = io_uring_register_probe(ring, probe, MOST);
    if (result == 0) result = io_uring_opcode_supported(probe, operation);
    free(probe);
    return result;
}

long clinux_thread_id(void) { return syscall(SYS_gettid); }

void clinux_abort(void) {
    sigset_t aborts;
    sigemptyset(&aborts);
    sigaddset(&aborts, SIGABRT);
    pthread_sigmask(SIG_UNBLOCK, &aborts, NULL);
    syscall(SYS_tgkill, getpid(), clinux_thread_id(), SIGABRT);
    // The signal is ignored, or its handler has returned, and shall not run again.
    signal(SIGABRT, SIG_DFL);
    abort();
}

int clinux_memory_barrier(void) {
    long result = syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0);
    // EPERM: the process has not registered.
    if (result < 0 && errno == EPERM) {
        result = syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0);
        if (result == 0) {
            result = syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0);
        }
    }
    return result < 0 ? -errno : 0;
}

void clinux_set_thread_name(const char *name) { pthread_setname_np(pthread_self(), name); }

void clinux_use_fine_timers(void) { prctl(PR_SET_TIMERSLACK, 1, 0, 0, 0); }

void clinux_use_lowest_priority(void) {
    setpriority(PRIO_PROCESS, (id_t)clinux_thread_id(), 19);
    syscall(SYS_ioprio_set, IOPRIO_WHO_PROCESS, 0, IOPRIO_PRIO_VALUE(IOPRIO_CLASS_IDLE, 0));
}

void clinux_await_clock_step(int descriptor) {
    // The latest time that the kernel accepts: it never expires, but clock changes cancel it.
    struct itimerspec setting = {.it_value.tv_sec = INT64_MAX / 1000000000};
    timerfd_settime(descriptor, TFD_TIMER_ABSTIME | TFD_TIMER_CANCEL_ON_SET, &setting, NULL);
}

int clinux_set_timer(int descriptor, uint64_t nanoseconds) {
    struct timespec period = {.tv_sec = (time_t)(nanoseconds / 1000000000),
                              .tv_nsec = (long)(nanoseconds % 1000000000)};
    struct itimerspec setting = {.it_interval = period, .it_value = period};
    return timerfd_settime(descriptor, 0, &setting, NULL);
}

// Room for 8192 CPUs, the kernel's limit on x86-64.
typedef cpu_set_t cpus[8];

int clinux_affinity_count(void) {
    cpus set;
    if (sched_getaffinity(getpid(), sizeof set, set) != 0) return -errno;
    return CPU_COUNT_S(sizeof set, set);
}

int clinux_has_cpus_of(int thread) {
    cpus own, other;
    return sched_getaffinity(0, sizeof own, own) != 0 ||
           sched_getaffinity(thread, sizeof other, other) != 0 ||
           CPU_EQUAL_S(sizeof own, own, other);
}

void clinux_use_cpus_of_main_thread(void) {
    cpus set;
    if (clinux_has_cpus_of(getpid())) return;
    if (sched_getaffinity(getpid(), sizeof set, set) == 0) sched_setaffinity(0, sizeof set, set);
}

ssize_t clinux_read_nowait(int descriptor, void *buffer, size_t count, int64_t offset) {
    struct iovec piece = {.iov_base = buffer, .iov_len = count};
    return preadv2(descriptor, &piece, 1, offset, RWF_NOWAIT);
}

ssize_t clinux_write_nowait(int descriptor, const struct iovec *list, int count) {
    return pwritev2(descriptor, list, count, -1, RWF_NOWAIT);
}

int clinux_accept(int listener, struct sockaddr *peer, unsigned *length) {
    int descriptor = accept4(listener, peer, length, SOCK_CLOEXEC);
    return descriptor < 0 ? -errno : descriptor;
}

int clinux_open_cached(const char *path, int flags) {
    struct open_how how = {.flags = (unsigned)flags, .resolve = RESOLVE_CACHED};
    return (int)syscall(SYS_openat2, AT_FDCWD, path, &how, sizeof how);
}

int clinux_dup3(int descriptor, int number) { return dup3(descriptor, number, O_CLOEXEC); }

int clinux_epoll_wait(
    int epoll, struct epoll_event *events, int capacity, const struct timespec *timeout) {
    // Before Linux 5.11, or in a sandbox that knows no newer calls.
    static int is_refused;
    if (!__atomic_load_n(&is_refused, __ATOMIC_RELAXED)) {
        long result = syscall(SYS_epoll_pwait2, epoll, events, capacity, timeout, NULL, 0);
        if (result >= 0) return (int)result;
        if (errno != ENOSYS && errno != EPERM) return -errno;
        __atomic_store_n(&is_refused, 1, __ATOMIC_RELAXED);
    }
    int milliseconds = -1;
    if (timeout) {
        // Rounded up, so that a timer never fires early.
        long long wanted = timeout->tv_sec * 1000ll + (timeout->tv_nsec + 999999) / 1000000;
        milliseconds = wanted > 0x7fffffff ? 0x7fffffff : (int)wanted;
    }
    int count = epoll_wait(epoll, events, capacity, milliseconds);
    return count < 0 ? -errno : count;
}

// Wraps for times after the year 2262.
static int64_t nanoseconds(const struct statx_timestamp *time) {
    return (int64_t)((uint64_t)time->tv_sec * 1000000000ull + (uint64_t)time->tv_nsec);
}

static int64_t nanoseconds_of(const struct timespec *time) {
    return (int64_t)((uint64_t)time->tv_sec * 1000000000ull + (uint64_t)time->tv_nsec);
}

// For a sandbox that rejects statx.
static int file_status_by_fstat(int descriptor, struct clinux_file_status *status) {
    struct stat found;
    if (fstat(descriptor, &found) != 0) return -errno;
    status->mode = found.st_mode;
    status->link_count = (uint32_t)found.st_nlink;
    status->owner = found.st_uid;
    status->group = found.st_gid;
    status->size = (uint64_t)found.st_size;
    status->modified_nanoseconds = nanoseconds_of(&found.st_mtim);
    status->changed_nanoseconds = nanoseconds_of(&found.st_ctim);
    return 0;
}

int clinux_file_status(int descriptor, struct clinux_file_status *status) {
    struct statx found;
    int flags = AT_EMPTY_PATH | AT_STATX_DONT_SYNC;
    if (statx(descriptor, "", flags, STATX_BASIC_STATS, &found) != 0) {
        return file_status_by_fstat(descriptor, status);
    }
    status->mode = found.stx_mode;
    status->link_count = found.stx_nlink;
    status->owner = found.stx_uid;
    status->group = found.stx_gid;
    status->size = found.stx_size;
    status->modified_nanoseconds = nanoseconds(&found.stx_mtime);
    status->changed_nanoseconds = nanoseconds(&found.stx_ctime);
    return 0;
}

#endif
