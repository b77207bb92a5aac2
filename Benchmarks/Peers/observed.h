// The resource usage of a server process: CPU time in nanoseconds, context switches, threads.
#ifndef OBSERVED_H
#define OBSERVED_H

#include <ctype.h>
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/types.h>
#include <time.h>

struct observed {
    int64_t cpu_nanoseconds;
    int64_t switches;  // voluntary and involuntary, of the living threads
    int64_t threads;
};

static inline int64_t task_switches(pid_t process, const char *task) {
    char path[64], line[128];
    snprintf(path, sizeof path, "/proc/%d/task/%.20s/status", (int)process, task);
    FILE *status = fopen(path, "r");
    if (status == NULL) return 0;
    int64_t total = 0;
    while (fgets(line, sizeof line, status)) {
        long long value;
        const char *name = strncmp(line, "non", 3) == 0 ? line + 3 : line;
        if (sscanf(name, "voluntary_ctxt_switches: %lld", &value) == 1) total += value;
    }
    fclose(status);
    return total;
}

/// All zero for process 0. The CPU clock of a process includes threads that have ended.
static inline struct observed observe(pid_t process) {
    struct observed result = {0};
    clockid_t clock;
    struct timespec time;
    if (process == 0 || clock_getcpuclockid(process, &clock) != 0) return result;
    if (clock_gettime(clock, &time) == 0) {
        result.cpu_nanoseconds = time.tv_sec * 1000000000LL + time.tv_nsec;
    }
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/task", (int)process);
    DIR *tasks = opendir(path);
    if (tasks == NULL) return result;
    for (struct dirent *entry; (entry = readdir(tasks)) != NULL;) {
        if (!isdigit((unsigned char)entry->d_name[0])) continue;
        result.threads++;
        result.switches += task_switches(process, entry->d_name);
    }
    closedir(tasks);
    return result;
}

static inline struct observed observed_since(struct observed before, struct observed after) {
    after.cpu_nanoseconds -= before.cpu_nanoseconds;
    after.switches -= before.switches;
    return after;
}

#endif
