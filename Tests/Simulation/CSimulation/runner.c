#define _GNU_SOURCE
#include "CSimulationRunner.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/wait.h>
#include <unistd.h>

enum { REQUESTS = 10, OUTCOMES = 11 };
static int requests;
static int outcomes;

static _Noreturn void give_up(const char *call) {
    perror(call);
    exit(70);
}

static void use_one_cpu(void) {
    int number = sched_getcpu();
    if (number < 0) return;
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(number, &set);
    sched_setaffinity(0, sizeof set, &set);
}

static _Noreturn void start_again(void) {
    char *arguments[] = {"simulate", "--serve", NULL};
    // With several arenas, threads would start with different amounts of memory.
    char *environment[] = {
        "SWIFT_DETERMINISTIC_HASHING=1", "SWIFT_BACKTRACE=enable=no", "MALLOC_ARENA_MAX=1",
        "RINGDISPATCH_BACKEND=epoll", "RINGDISPATCH_LOG=off", NULL};
    use_one_cpu();
    personality(ADDR_NO_RANDOMIZE);
    execve("/proc/self/exe", arguments, environment);
    give_up("execve");
}

void runner_start(void) {
    int to[2], from[2];
    if (pipe(to) != 0 || pipe(from) != 0) give_up("pipe");
    pid_t child = fork();
    if (child < 0) give_up("fork");
    if (child == 0) {
        dup2(to[0], REQUESTS);
        dup2(from[1], OUTCOMES);
        close(to[1]);
        close(from[0]);
        start_again();
    }
    close(to[0]);
    close(from[1]);
    requests = to[1];
    outcomes = from[0];
}

struct runner_outcome runner_run(struct runner_request request) {
    struct runner_outcome outcome;
    if (write(requests, &request, sizeof request) != sizeof request) give_up("write");
    if (read(outcomes, &outcome, sizeof outcome) != sizeof outcome) give_up("read");
    return outcome;
}

bool runner_is_served(int count, char **arguments) {
    return count == 2 && strcmp(arguments[1], "--serve") == 0;
}

void runner_serve(void (*run)(struct runner_request request, struct runner_outcome *outcome)) {
    struct runner_outcome *shared = mmap(
        NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED) give_up("mmap");
    struct runner_request request;
    while (read(REQUESTS, &request, sizeof request) == sizeof request) {
        *shared = (struct runner_outcome){0};
        pid_t child = fork();
        if (child < 0) give_up("fork");
        if (child == 0) {
            run(request, shared);
            _exit(0);
        }
        waitpid(child, &shared->status, 0);
        if (write(OUTCOMES, shared, sizeof *shared) != sizeof *shared) give_up("write");
    }
    exit(0);
}
