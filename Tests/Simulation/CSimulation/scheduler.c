// Real threads, of which the one with the baton runs. It may lose the baton at each step.
#define _GNU_SOURCE
#include "simulation.h"

#include <linux/futex.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>

_Thread_local struct thread *current_thread;

static struct thread threads[MOST_THREADS];
static int thread_count;
static uint64_t clock_now = 1000000000;
static uint64_t steps;
static uint64_t most_steps;
static uint64_t switches;
// Of 1000 steps, how many may give the baton away.
static unsigned switch_chance;
static bool has_weights;
// No deadline of a thread or of a later call is earlier.
static uint64_t earliest = NO_DEADLINE;

struct later {
    uint64_t time;
    void (*body)(void *);
    void *argument;
};
static struct later laters[4096];
static int later_count;

uint64_t now(void) { return clock_now; }
uint64_t simulation_now(void) { return clock_now; }
uint64_t simulation_steps(void) { return steps; }
uint64_t simulation_switches(void) { return switches; }

void simulation_begin(uint64_t seed, bool traces, uint64_t most) {
    seed_random(seed);
    start_recording(traces);
    catch_crashes();
    static const unsigned chances[] = {500, 250, 100, 30, 8};
    switch_chance = chances[random_below(5)];
    has_weights = random_below(2) == 0;
    seed_stores();
    most_steps = most;
    current_thread = add_thread(NULL, NULL);
    current_thread->weight = 4;
}

// MARK: the baton

static void real_futex(uint32_t *word, int operation, uint32_t value) {
    real_call(SYS_futex, (long)word, operation | FUTEX_PRIVATE_FLAG, value, 0, 0, 0);
}

static void await_baton(struct thread *me) {
    while (!__atomic_load_n(&me->baton, __ATOMIC_ACQUIRE)) {
        real_futex(&me->baton, FUTEX_WAIT, 0);
    }
    __atomic_store_n(&me->baton, 0, __ATOMIC_RELAXED);
}

static void give_baton(struct thread *next) {
    __atomic_store_n(&next->baton, 1, __ATOMIC_RELEASE);
    real_futex(&next->baton, FUTEX_WAKE, 1);
}

static bool is_runnable(const struct thread *thread) {
    return !thread->is_waiting && !thread->has_ended;
}

static struct thread *pick(const struct thread *besides) {
    uint64_t total = 0;
    for (int index = 0; index < thread_count; index++) {
        struct thread *thread = &threads[index];
        if (is_runnable(thread) && thread != besides) total += thread->weight;
    }
    if (total == 0) return NULL;
    uint64_t choice = random_below(total);
    for (int index = 0; index < thread_count; index++) {
        struct thread *thread = &threads[index];
        if (!is_runnable(thread) || thread == besides) continue;
        if (choice < thread->weight) return thread;
        choice -= thread->weight;
    }
    return NULL;
}

// MARK: time

static void find_earliest(void) {
    earliest = NO_DEADLINE;
    for (int index = 0; index < thread_count; index++) {
        if (threads[index].is_waiting && threads[index].deadline < earliest) {
            earliest = threads[index].deadline;
        }
    }
    for (int index = 0; index < later_count; index++) {
        if (laters[index].time < earliest) earliest = laters[index].time;
    }
}

static void expire(void) {
    for (int index = 0; index < thread_count; index++) {
        struct thread *thread = &threads[index];
        if (!thread->is_waiting || thread->deadline > clock_now) continue;
        thread->is_waiting = false;
        thread->has_timed_out = true;
    }
    for (int index = 0; index < later_count;) {
        if (laters[index].time > clock_now) {
            index++;
            continue;
        }
        struct later later = laters[index];
        laters[index] = laters[--later_count];
        later.body(later.argument);
    }
    find_earliest();
}

uint64_t next_deadline(void) {
    find_earliest();
    return earliest;
}

void call_later(uint64_t delay, void (*body)(void *), void *argument) {
    if (later_count == sizeof laters / sizeof *laters) simulation_fail("too many later calls");
    laters[later_count++] = (struct later){clock_now + delay, body, argument};
    if (clock_now + delay < earliest) earliest = clock_now + delay;
}

static void advance(uint64_t nanoseconds) {
    clock_now += nanoseconds;
    if (current_thread) current_thread->used += nanoseconds;
    if (earliest <= clock_now) expire();
}

// MARK: steps

static void hand_over(struct thread *me, struct thread *next) {
    if (next == me) return;
    switches++;
    record("switch to", next->number, 0, 0);
    give_baton(next);
    if (!me->has_ended) await_baton(me);
}

// Gives the baton to a runnable thread, which may be the caller, if need be after time has passed.
static void reschedule(struct thread *me) {
    struct thread *next;
    while (!(next = pick(NULL))) {
        if (earliest == NO_DEADLINE) simulation_fail("deadlock: no thread can run");
        if (earliest > clock_now) clock_now = earliest;
        expire();
    }
    hand_over(me, next);
}

// Now and then a thread has no CPU for long; or the whole machine stands still.
static void be_preempted(uint64_t nanoseconds) {
    drain_stores();
    if (random_below(2) == 0) {
        advance(nanoseconds);
    } else {
        static char nobody;
        wait_for(&nobody, clock_now + nanoseconds, "a CPU", 0);
    }
}

void step(const char *call) {
    struct thread *me = current_thread;
    if (!me) return;
    if (++steps > most_steps) simulation_fail("livelock: too many steps");
    mix((uint64_t)me->number << 8 | (unsigned char)call[0]);
    drain_at_random();
    advance(20 + random_below(160));
    if (random_below(2000) == 0) be_preempted(random_below(400000));
    if (chance(switch_chance)) {
        struct thread *next = pick(NULL);
        if (next) hand_over(me, next);
    }
}

uint64_t simulation_ticks(void) {
    step("ticks");
    return clock_now / 2 * 5;
}

void yield_baton(void) {
    struct thread *me = current_thread;
    step("yield");
    struct thread *next = pick(me);
    if (next) hand_over(me, next);
}

// MARK: waiting

bool wait_for(const void *channel, uint64_t deadline, const char *reason, long detail) {
    struct thread *me = current_thread;
    if (deadline <= clock_now) return false;
    drain_stores();
    me->channel = channel;
    me->deadline = deadline;
    me->reason = reason;
    me->detail = detail;
    me->is_waiting = true;
    me->has_timed_out = false;
    if (deadline < earliest) earliest = deadline;
    reschedule(me);
    me->channel = NULL;
    me->deadline = NO_DEADLINE;
    return !me->has_timed_out;
}

struct thread *choose_thread(bool (*holds)(const struct thread *thread)) {
    struct thread *found = NULL;
    unsigned seen = 0;
    for (int index = 0; index < thread_count; index++) {
        if (!holds(&threads[index])) continue;
        if (random_below(++seen) == 0) found = &threads[index];
    }
    return found;
}

void wake_thread(struct thread *thread) {
    thread->is_waiting = false;
    thread->has_timed_out = false;
}

struct thread *first_waiting(const void *channel) {
    struct thread *found = NULL;
    unsigned seen = 0;
    for (int index = 0; index < thread_count; index++) {
        struct thread *thread = &threads[index];
        if (!thread->is_waiting || thread->channel != channel) continue;
        if (random_below(++seen) == 0) found = thread;
    }
    return found;
}

int wake_channel(const void *channel, int most) {
    int woken = 0;
    struct thread *thread;
    while (woken < most && (thread = first_waiting(channel))) {
        wake_thread(thread);
        woken++;
    }
    return woken;
}

// MARK: threads

struct thread *add_thread(void *(*start)(void *), void *argument) {
    if (thread_count == MOST_THREADS) simulation_fail("too many threads");
    static const unsigned weights[] = {1, 4, 4, 16, 64};
    struct thread *thread = &threads[thread_count];
    *thread = (struct thread){
        .number = thread_count, .deadline = NO_DEADLINE, .start = start, .argument = argument,
        .nice = current_thread ? current_thread->nice : 0,
        .weight = has_weights ? weights[random_below(5)] : 4};
    thread_count++;
    return thread;
}

void remove_last_thread(void) { thread_count--; }

void *run_thread(void *object) {
    struct thread *me = object;
    await_baton(me);
    current_thread = me;
    void *result = me->start(me->argument);
    record("thread ends", 0, 0, 0);
    drain_stores();
    me->has_ended = true;
    reschedule(me);
    // Its end would run beside the other threads, and change the addresses that they get.
    while (true) await_baton(me);
    return result;
}

struct thread *thread_with_identifier(long identifier) {
    long number = identifier - FIRST_THREAD_IDENTIFIER;
    return number >= 0 && number < thread_count ? &threads[number] : NULL;
}

void describe_threads(void) {
    for (int index = 0; index < thread_count; index++) {
        struct thread *thread = &threads[index];
        if (thread->has_ended) continue;
        fprintf(stderr, "thread %d ", index);
        if (!thread->is_waiting) {
            fprintf(stderr, "can run\n");
        } else if (thread->deadline == NO_DEADLINE) {
            fprintf(stderr, "waits for %s %ld\n", thread->reason, thread->detail);
        } else {
            fprintf(
                stderr, "waits for %s %ld until %.3f us\n", thread->reason, thread->detail,
                (double)thread->deadline / 1000);
        }
    }
}
