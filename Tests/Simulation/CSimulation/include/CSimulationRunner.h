// Runs seeds, each in a process of its own.
#ifndef CSIMULATION_RUNNER_H
#define CSIMULATION_RUNNER_H

#include <stdbool.h>
#include <stdint.h>

struct runner_request {
    uint64_t scenario;
    uint64_t seed;
    bool traces;
};

struct runner_outcome {
    // In the format of wait(2).
    int status;
    uint64_t hash;
    uint64_t steps;
    uint64_t switches;
    uint64_t nanoseconds;
};

// Starts the program again, with fixed addresses, arguments and environment, to call
// `runner_serve`. So a seed has the same memory, whatever ran before it. A run uses one CPU, where
// the baton changes hands fastest.
void runner_start(void);

// Has the other process run a seed.
struct runner_outcome runner_run(struct runner_request request);

// Whether the program was started by `runner_start`.
bool runner_is_served(int count, char **arguments);

// Forks for each request, and calls `run` in the child.
_Noreturn void runner_serve(
    void (*run)(struct runner_request request, struct runner_outcome *outcome));

#endif
