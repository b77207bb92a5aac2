// What the files of the simulated kernel share. All state belongs to the thread with the baton.
#ifndef SIMULATION_H
#define SIMULATION_H

#include "CSimulation.h"

#include <errno.h>
#include <stddef.h>
#include <sys/types.h>

// MARK: scheduler.c

enum { MOST_THREADS = 512, MOST_STORES = 16 };
// Above all identifiers of Linux: none of them has a folder in /proc.
enum { FIRST_THREAD_IDENTIFIER = 5000000 };
#define NO_DEADLINE UINT64_MAX

static inline uint64_t nanoseconds(const struct timespec *time) {
    return (uint64_t)time->tv_sec * 1000000000 + (uint64_t)time->tv_nsec;
}

// A store that only its thread sees yet.
struct store {
    void *cell;
    uint64_t value;
    size_t size;
};

struct thread {
    int number;
    bool is_waiting;
    bool has_ended;
    bool has_timed_out;
    // A thread with a larger weight gets the baton more often.
    unsigned weight;
    int nice;
    uint32_t baton;
    uint64_t deadline;
    // What the thread waits for: an address, and its description.
    const void *channel;
    const char *reason;
    long detail;
    // The virtual time that the thread was running.
    uint64_t used;
    void *(*start)(void *);
    void *argument;
    // The store buffer, oldest first.
    struct store stores[MOST_STORES];
    unsigned store_count;
};

// The calling thread; NULL outside of a simulation.
extern _Thread_local struct thread *current_thread
    __attribute__((tls_model("initial-exec")));

void step(const char *call);
// Waits for a wake-up of the channel. Returns false if the deadline has passed first.
bool wait_for(const void *channel, uint64_t deadline, const char *reason, long detail);
// Wakes waiting threads of the channel. Returns their number.
int wake_channel(const void *channel, int most);
struct thread *first_waiting(const void *channel);
void wake_thread(struct thread *thread);
struct thread *add_thread(void *(*start)(void *), void *argument);
void remove_last_thread(void);
void *run_thread(void *thread);
struct thread *thread_with_identifier(long identifier);
// A thread for which the condition holds, at random; NULL if there is none.
struct thread *choose_thread(bool (*holds)(const struct thread *thread));
void yield_baton(void);
// Calls `body` at a virtual time.
void call_later(uint64_t delay, void (*body)(void *), void *argument);
uint64_t now(void);
// When the next wait times out, or the next later call is due.
uint64_t next_deadline(void);

// MARK: atomics.c

void seed_stores(void);
// Lets all other threads see the stores of the calling thread.
void drain_stores(void);
// The same for the stores of all threads.
void drain_all_stores(void);
// Now and then lets a store of any thread be seen.
void drain_at_random(void);

// MARK: random.c

uint64_t random_below(uint64_t limit);
bool chance(unsigned of_thousand);
bool misbehaves(enum simulation_fault fault);
void seed_random(uint64_t seed);

// MARK: report.c

void record(const char *call, long first, long second, long result);
void mix(uint64_t value);
void start_recording(bool traces);
void catch_crashes(void);
// Keeps a line of standard error, which is shown if the run fails. Returns its length.
long note_line(const void *bytes, size_t count);

// MARK: calls.c

// Calls the kernel of the machine.
long real_call(long number, long a, long b, long c, long d, long e, long f);

#endif
