// In C, because Swift's Glibc module lacks the GNU extensions.
#define _GNU_SOURCE
#include "CThreadPlacement.h"
#include <sched.h>

void benchmark_bind_to_allowed_cpu(int index) {
    cpu_set_t allowed;
    if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) return;
    for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
        if (!CPU_ISSET(cpu, &allowed) || index-- > 0) continue;
        cpu_set_t own;
        CPU_ZERO(&own);
        CPU_SET(cpu, &own);
        sched_setaffinity(0, sizeof own, &own);
        return;
    }
}
