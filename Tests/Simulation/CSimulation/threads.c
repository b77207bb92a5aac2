// Threads, locks, futexes, sleeps and clocks of the C library.
#define _GNU_SOURCE
#include "simulation.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define REAL(name) real_##name = (__typeof__(real_##name))dlsym(RTLD_NEXT, #name)

static int (*real_pthread_create)(
    pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
static int (*real_pthread_mutex_lock)(pthread_mutex_t *);
static int (*real_pthread_mutex_trylock)(pthread_mutex_t *);
static int (*real_pthread_mutex_unlock)(pthread_mutex_t *);
static int (*real_pthread_cond_wait)(pthread_cond_t *, pthread_mutex_t *);
static int (*real_pthread_cond_timedwait)(
    pthread_cond_t *, pthread_mutex_t *, const struct timespec *);
static int (*real_pthread_cond_signal)(pthread_cond_t *);
static int (*real_pthread_cond_broadcast)(pthread_cond_t *);
static int (*real_sched_getaffinity)(pid_t, size_t, cpu_set_t *);

__attribute__((constructor)) static void find_real(void) {
    if (real_sched_getaffinity) return;
    REAL(pthread_create);
    REAL(pthread_mutex_lock);
    REAL(pthread_mutex_trylock);
    REAL(pthread_mutex_unlock);
    REAL(pthread_cond_wait);
    REAL(pthread_cond_timedwait);
    REAL(pthread_cond_signal);
    REAL(pthread_cond_broadcast);
    REAL(sched_getaffinity);
}

// MARK: threads

int pthread_create(
    pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *),
    void *argument) {
    find_real();
    if (!current_thread) return real_pthread_create(thread, attributes, start, argument);
    drain_stores();
    // The process is at its limit for a moment.
    if (random_below(16) == 0) {
        record("pthread_create", 0, 0, -EAGAIN);
        step("pthread_create");
        return EAGAIN;
    }
    struct thread *added = add_thread(start, argument);
    int code = real_pthread_create(thread, attributes, run_thread, added);
    if (code != 0) remove_last_thread();
    record("pthread_create", added->number, 0, -code);
    step("pthread_create");
    return code;
}

int sched_yield(void) {
    if (!current_thread) return (int)real_call(SYS_sched_yield, 0, 0, 0, 0, 0, 0);
    yield_baton();
    return 0;
}

pid_t getpid(void) {
    if (current_thread) return FIRST_THREAD_IDENTIFIER;
    return (pid_t)real_call(SYS_getpid, 0, 0, 0, 0, 0, 0);
}

// 0 is the calling thread.
int getpriority(__priority_which_t which, id_t who) {
    if (!current_thread) return 20 - (int)real_call(SYS_getpriority, which, who, 0, 0, 0, 0);
    struct thread *thread = who == 0 ? current_thread : thread_with_identifier((long)who);
    return thread ? thread->nice : -1;
}

int setpriority(__priority_which_t which, id_t who, int nice) {
    if (!current_thread) return (int)real_call(SYS_setpriority, which, who, nice, 0, 0, 0);
    current_thread->nice = nice;
    return 0;
}

// Two processors, whatever the machine has.
int sched_getaffinity(pid_t process, size_t size, cpu_set_t *set) {
    find_real();
    if (!current_thread) return real_sched_getaffinity(process, size, set);
    CPU_ZERO_S(size, set);
    CPU_SET_S(0, size, set);
    CPU_SET_S(1, size, set);
    return 0;
}

// MARK: locks

int pthread_mutex_lock(pthread_mutex_t *mutex) {
    find_real();
    if (!current_thread) return real_pthread_mutex_lock(mutex);
    drain_stores();
    step("lock");
    while (true) {
        int code = real_pthread_mutex_trylock(mutex);
        if (code != EBUSY) return code;
        wait_for(mutex, NO_DEADLINE, "a pthread_mutex", 0);
    }
}

int pthread_mutex_unlock(pthread_mutex_t *mutex) {
    find_real();
    if (!current_thread) return real_pthread_mutex_unlock(mutex);
    drain_stores();
    int code = real_pthread_mutex_unlock(mutex);
    wake_channel(mutex, MOST_THREADS);
    step("unlock");
    return code;
}

static int wait_for_condition(
    pthread_cond_t *condition, pthread_mutex_t *mutex, uint64_t deadline) {
    drain_stores();
    step("cond_wait");
    real_pthread_mutex_unlock(mutex);
    wake_channel(mutex, MOST_THREADS);
    bool is_woken = wait_for(condition, deadline, "a pthread_cond", 0);
    pthread_mutex_lock(mutex);
    return is_woken ? 0 : ETIMEDOUT;
}

int pthread_cond_wait(pthread_cond_t *condition, pthread_mutex_t *mutex) {
    find_real();
    if (!current_thread) return real_pthread_cond_wait(condition, mutex);
    return wait_for_condition(condition, mutex, NO_DEADLINE);
}

int pthread_cond_timedwait(
    pthread_cond_t *condition, pthread_mutex_t *mutex, const struct timespec *time) {
    find_real();
    if (!current_thread) return real_pthread_cond_timedwait(condition, mutex, time);
    return wait_for_condition(condition, mutex, nanoseconds(time));
}

int pthread_cond_signal(pthread_cond_t *condition) {
    find_real();
    if (!current_thread) return real_pthread_cond_signal(condition);
    step("cond_signal");
    wake_channel(condition, 1);
    return 0;
}

int pthread_cond_broadcast(pthread_cond_t *condition) {
    find_real();
    if (!current_thread) return real_pthread_cond_broadcast(condition);
    step("cond_broadcast");
    wake_channel(condition, MOST_THREADS);
    return 0;
}

static bool is_locked;

void simulation_lock(void) {
    while (is_locked) wait_for(&is_locked, NO_DEADLINE, "the scenario's data", 0);
    is_locked = true;
}

void simulation_unlock(void) {
    is_locked = false;
    wake_channel(&is_locked, MOST_THREADS);
}

// MARK: futexes

static long lock_with_priority(uint32_t *word, uint64_t deadline) {
    uint32_t mine = (uint32_t)(FIRST_THREAD_IDENTIFIER + current_thread->number);
    uint32_t value = __atomic_load_n(word, __ATOMIC_RELAXED);
    if ((value & FUTEX_TID_MASK) == 0) {
        __atomic_store_n(word, mine, __ATOMIC_RELAXED);
        return 0;
    }
    __atomic_store_n(word, value | FUTEX_WAITERS, __ATOMIC_RELAXED);
    // Whoever unlocks it makes this thread its owner.
    return wait_for(word, deadline, "a Mutex held by thread",
                    (long)(value & FUTEX_TID_MASK) - FIRST_THREAD_IDENTIFIER) ? 0 : -ETIMEDOUT;
}

static long unlock_with_priority(uint32_t *word) {
    struct thread *next = first_waiting(word);
    if (!next) {
        __atomic_store_n(word, 0, __ATOMIC_RELEASE);
        return 0;
    }
    wake_thread(next);
    next->channel = NULL;
    uint32_t owner = (uint32_t)(FIRST_THREAD_IDENTIFIER + next->number);
    __atomic_store_n(
        word, owner | (first_waiting(word) ? FUTEX_WAITERS : 0), __ATOMIC_RELEASE);
    return 0;
}

long futex_call(
    uint32_t *word, int operation, uint32_t value, const struct timespec *time,
    uint32_t *other) {
    (void)other;
    long result = 0;
    int command = operation & FUTEX_CMD_MASK;
    // The kernel's own locks serialize.
    drain_stores();
    step("futex");
    switch (command) {
    case FUTEX_WAIT:
    case FUTEX_WAIT_BITSET:
        if (__atomic_load_n(word, __ATOMIC_RELAXED) != value) {
            result = -EAGAIN;
        } else if (misbehaves(SIMULATION_INTERRUPTS)) {
            result = -EINTR;
        } else {
            uint64_t deadline = NO_DEADLINE;
            if (time) {
                deadline = nanoseconds(time)
                    + (command == FUTEX_WAIT ? now() : 0);
            }
            record("futex wait", (long)value, time != NULL, 0);
            result = wait_for(word, deadline, "a futex with", (long)value) ? 0 : -ETIMEDOUT;
        }
        record("futex waited", (long)value, time != NULL, result);
        return result;
    case FUTEX_WAKE:
        result = wake_channel(word, (int)value);
        record("futex wake", (long)value, 0, result);
        return result;
    case FUTEX_LOCK_PI:
    case 13:  // FUTEX_LOCK_PI2
        return lock_with_priority(word, time ? nanoseconds(time) : NO_DEADLINE);
    case FUTEX_TRYLOCK_PI:
        return (*word & FUTEX_TID_MASK) == 0 ? lock_with_priority(word, 0) : -EAGAIN;
    case FUTEX_UNLOCK_PI:
        return unlock_with_priority(word);
    default:
        simulation_fail("a futex operation is not simulated");
    }
}

// MARK: sleeps

static void sleep_until(uint64_t deadline) {
    step("sleep");
    static char nobody;
    record("sleep", (long)(deadline > now() ? deadline - now() : 0), 0, 0);
    while (wait_for(&nobody, deadline, "a sleep", 0)) {}
}

int nanosleep(const struct timespec *time, struct timespec *left) {
    if (!current_thread) {
        long result = real_call(SYS_nanosleep, (long)time, (long)left, 0, 0, 0, 0);
        if (result < 0) errno = (int)-result;
        return result < 0 ? -1 : 0;
    }
    sleep_until(now() + nanoseconds(time));
    return 0;
}

int clock_nanosleep(
    clockid_t clock, int flags, const struct timespec *time, struct timespec *left) {
    if (!current_thread) {
        return (int)-real_call(
            SYS_clock_nanosleep, clock, flags, (long)time, (long)left, 0, 0);
    }
    sleep_until(nanoseconds(time) + (flags & TIMER_ABSTIME ? 0 : now()));
    return 0;
}

bool simulation_sleep_until_next_deadline(uint64_t early) {
    // The thread whose wait has just ended begins with its next one.
    sleep_until(now() + 50000);
    uint64_t deadline = next_deadline();
    if (deadline == NO_DEADLINE) return false;
    sleep_until(deadline - early);
    return true;
}

int usleep(useconds_t microseconds) {
    struct timespec time = {microseconds / 1000000, microseconds % 1000000 * 1000};
    return nanosleep(&time, NULL);
}

unsigned sleep(unsigned seconds) {
    struct timespec time = {seconds, 0};
    nanosleep(&time, NULL);
    return 0;
}

// MARK: clocks

static const uint64_t epoch = 1700000000000000000;

int clock_gettime(clockid_t clock, struct timespec *time) {
    if (!current_thread) {
        long result = real_call(SYS_clock_gettime, clock, (long)time, 0, 0, 0, 0);
        if (result < 0) errno = (int)-result;
        return result < 0 ? -1 : 0;
    }
    step("clock_gettime");
    uint64_t value = now();
    if (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE) value += epoch;
    if (clock < 0) {
        // A thread's CPU time; see clock_getres(2).
        struct thread *thread = thread_with_identifier(~(clock >> 3));
        if (!thread) {
            errno = EINVAL;
            return -1;
        }
        value = thread->used;
    }
    time->tv_sec = (time_t)(value / 1000000000);
    time->tv_nsec = (long)(value % 1000000000);
    return 0;
}
