// Shims for features that Swift cannot express or import: thread-local storage, the ring's shared
// words, and kernel constants that Debian's liburing lacks. No logic lives here.
#ifndef CLINUX_H
#define CLINUX_H

#ifndef __linux__
#error "RingDispatch runs on Linux only. On another system, develop in a container: see README.md."
#else

// Before liburing.h, which selects another variant of the C library's types than Swift's Glibc.
#include <sys/types.h>

#include <errno.h>
#include <liburing.h>
#include <linux/futex.h>
#include <sys/eventfd.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include "CLinuxDatagrams.h"
#include "CLinuxFolders.h"
#include "CLinuxMainQueue.h"
#include "CLinuxProcesses.h"
#include "CLinuxSignals.h"
#include "CLinuxTasks.h"

// Macros that Swift does not import.
enum {
    CLINUX_SKIP_SUCCESS = 1 << IOSQE_CQE_SKIP_SUCCESS_BIT,
};

_Static_assert(sizeof(struct io_uring_sqe) == 64, "the kernel's submission entry is 64 bytes");
_Static_assert(sizeof(struct io_uring_cqe) == 16, "the kernel's completion entry is 16 bytes");

// MARK: thread-local storage

// The calling thread's context. Safety: only its own thread reads and writes it.
extern _Thread_local void *clinux_thread_value __attribute__((tls_model("initial-exec")));

static inline void *clinux_thread_get(void) { return clinux_thread_value; }
static inline void clinux_thread_set(void *value) { clinux_thread_value = value; }

// MARK: time-stamp counter

// Ticks of the CPU's constant-rate counter, for rough intervals only, never for deadlines.
static inline uint64_t clinux_ticks(void) {
#if defined(__x86_64__)
    return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
    uint64_t value;
    __asm__ volatile("mrs %0, cntvct_el0" : "=r"(value));
    return value;
#else
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000ull + (uint64_t)now.tv_nsec;
#endif
}

// Ticks per microsecond (a rough figure on x86).
static inline uint64_t clinux_ticks_per_microsecond(void) {
#if defined(__x86_64__)
    return 2500;
#elif defined(__aarch64__)
    uint64_t frequency;
    __asm__ volatile("mrs %0, cntfrq_el0" : "=r"(frequency));
    return frequency / 1000000 ? frequency / 1000000 : 1;
#else
    return 1000;
#endif
}

static inline void clinux_pause(void) {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

// MARK: creating and closing a ring

// io_uring_queue_init_params(3). Returns 0 or -errno.
int clinux_open_ring(unsigned entries, struct io_uring *ring, struct io_uring_params *parameters);

// io_uring_queue_exit(3).
void clinux_close_ring(struct io_uring *ring);

// MARK: the ring's shared words

// Moves a completion out of the queue; false if there is none. One thread at a time may call it.
bool clinux_reap(struct io_uring *ring, struct io_uring_cqe *completion);

// Publishes prepared entries and enters the kernel. `timeout` is relative, or NULL for none.
// Returns the number of submitted entries, or -errno.
int clinux_enter(
    struct io_uring *ring, unsigned wait_count, const struct __kernel_timespec *timeout);

// Publishes prepared entries and enters the kernel, without waiting. Returns how many entries are
// left, because the kernel took only a part, or -errno.
int clinux_submit(struct io_uring *ring);

// MARK: system calls that have no C library wrapper

// sendto(2) on a stream socket, without blocking or SIGPIPE. Returns the count or -errno. The C
// library's function is a cancellation point, which costs time in each call of a multithreaded
// program.
static inline ssize_t clinux_send(int descriptor, const void *bytes, size_t count) {
    long result;
    do {
        result = syscall(
            SYS_sendto, descriptor, bytes, count, MSG_DONTWAIT | MSG_NOSIGNAL, NULL, 0);
    } while (result < 0 && errno == EINTR);
    return result < 0 ? -errno : result;
}

// recvfrom(2) on a stream socket, without blocking. Returns the count or -errno. Avoids the C
// library for the same reason.
static inline ssize_t clinux_receive(int descriptor, void *bytes, size_t capacity) {
    long result;
    do {
        result = syscall(
            SYS_recvfrom, descriptor, bytes, capacity, MSG_DONTWAIT, NULL, NULL);
    } while (result < 0 && errno == EINTR);
    return result < 0 ? -errno : result;
}

long clinux_futex_wait(uint32_t *word, uint32_t expected, const struct timespec *deadline);
long clinux_futex_wake(uint32_t *word);
// Whether the kernel has an operation (IORING_OP_...): 1 or 0, or -errno.
int clinux_supports(struct io_uring *ring, int operation);
long clinux_thread_id(void);
// Like abort(3), but the frames of the caller can be found: glibc's have no frame pointer.
_Noreturn void clinux_abort(void);
// membarrier(2): each running thread of the process executes a full memory barrier. Returns 0, or
// -errno.
int clinux_memory_barrier(void);
void clinux_set_thread_name(const char *name);
void clinux_use_fine_timers(void);
void clinux_use_lowest_priority(void);

// Makes a timerfd on CLOCK_REALTIME readable when the clock is set next, and only then.
void clinux_await_clock_step(int descriptor);

// Makes a timerfd expire after each period; 0 stops it. Returns -1 and errno after a failure.
int clinux_set_timer(int descriptor, uint64_t nanoseconds);

// The number of CPUs in the affinity mask of the main thread, or -errno.
int clinux_affinity_count(void);

// Whether the calling thread may use the same CPUs as another one, or the kernel does not say.
int clinux_has_cpus_of(int thread);

// Lets the calling thread use the CPUs of the main thread.
void clinux_use_cpus_of_main_thread(void);

// preadv2(2) and pwritev2(2) with RWF_NOWAIT; -1 and errno. -1 as the offset, and a write, stand for
// the file's position.
ssize_t clinux_read_nowait(int descriptor, void *buffer, size_t count, int64_t offset);
struct iovec;
ssize_t clinux_write_nowait(int descriptor, const struct iovec *list, int count);

struct sockaddr;
// accept4(2) with close-on-exec; the listening socket must have O_NONBLOCK set. `length` is the
// space for the peer's address, and then the address's length. Returns the descriptor, or -errno.
int clinux_accept(int listener, struct sockaddr *peer, unsigned *length);

// openat2(2) with RESOLVE_CACHED: EAGAIN if the path would have to be read from a disk. -1 and errno.
int clinux_open_cached(const char *path, int flags);

// The result of statx(2) for an open file; times are nanoseconds since 1970.
struct clinux_file_status {
    uint32_t mode;
    uint32_t link_count;
    uint32_t owner;
    uint32_t group;
    uint64_t size;
    int64_t modified_nanoseconds;
    int64_t changed_nanoseconds;
};

// Uses cached attributes of network file systems, without asking the server. Returns 0 or -errno.
int clinux_file_status(int descriptor, struct clinux_file_status *status);

// Opens /dev/null as each standard descriptor that is closed. Runs by itself before main().
void clinux_open_standard_descriptors(void);

// dup3(2) with close-on-exec, which the C library declares only for GNU programs; -1 and errno.
int clinux_dup3(int descriptor, int number);

int clinux_epoll_wait(
    int epoll, struct epoll_event *events, int capacity, const struct timespec *timeout);

#endif
#endif
