// Process calls that older C libraries and kernel headers lack.
#ifndef CLINUX_PROCESSES_H
#define CLINUX_PROCESSES_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/auxv.h>

// pidfd_open(2). Returns a descriptor with close-on-exec, or -errno.
int clinux_pidfd_open(int32_t process);

// How a process ended.
struct clinux_exit {
    bool is_known;
    // In the format of wait(2).
    int32_t wait_status;
};

// How the process ended: from waitid(2), without reaping it; if that fails (not a child, or already
// reaped), from PIDFD_GET_INFO (Linux 6.15).
struct clinux_exit clinux_pidfd_exit(int pidfd);

// The same for a child by its process ID. The parent must not have reaped it.
struct clinux_exit clinux_child_exit(int32_t process);

// Whether the process exists; a zombie does.
bool clinux_process_exists(int32_t process);

#endif
