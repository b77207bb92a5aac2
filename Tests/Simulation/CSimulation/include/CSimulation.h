// A simulated kernel and a seeded scheduler, which run one thread at a time; see CONTRIBUTING.md.
#ifndef CSIMULATION_H
#define CSIMULATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "CSimulationRunner.h"

// MARK: one run

// Makes the calling thread, the only one of the process, the first simulated thread.
void simulation_begin(uint64_t seed, bool traces, uint64_t most_steps);

// A hash of all steps, calls and results so far. The same seed has the same hash.
uint64_t simulation_hash(void);
uint64_t simulation_steps(void);
// How often the baton went to another thread.
uint64_t simulation_switches(void);

// The virtual time in nanoseconds. Not a step.
uint64_t simulation_now(void);

// Reports a failure with the last events and what each thread waits for, and ends the process.
_Noreturn void simulation_fail(const char *reason);

// Adds a line to the events.
void simulation_note(const char *text, int64_t number);

// MARK: for the code under test

// Another thread may run before each operation.
void simulation_load(const void *cell, void *value, size_t size);
// Unless it serializes, other threads see the store later.
void simulation_store(void *cell, const void *value, size_t size, bool serializes);
void simulation_exchange(void *cell, const void *desired, void *original, size_t size);
bool simulation_compare_exchange(
    void *cell, const void *expected, const void *desired, void *original, size_t size);
// A step that returns the virtual time, in ticks of `clinux_ticks`.
uint64_t simulation_ticks(void);

// MARK: for scenarios

// A number from the seed, from 0 to `limit` - 1.
uint64_t simulation_random(uint64_t limit);

// The kinds of misbehaviour, which are off at first.
enum simulation_fault {
    SIMULATION_SHORT_TRANSFERS,
    SIMULATION_INTERRUPTS,
    SIMULATION_FEWER_EVENTS,
    SIMULATION_ACCEPT_ERRORS,
    SIMULATION_ADD_ERRORS,
    SIMULATION_ENTER_ERRORS,
    SIMULATION_FAULTS,
};
// Sets how many of 1000 calls misbehave.
void simulation_set_fault(enum simulation_fault fault, unsigned of_thousand);

// A lock for a scenario's own data, which is neither a step nor a barrier.
void simulation_lock(void);
void simulation_unlock(void);

// Sleeps until another thread's wait times out, or shorter. Returns false if none does.
bool simulation_sleep_until_next_deadline(uint64_t early);

// The number of simulated descriptors that are open.
unsigned simulation_open_descriptors(void);
// The number of times that bytes or an end of the descriptor's file were announced.
uint64_t simulation_received(int descriptor);

#endif
