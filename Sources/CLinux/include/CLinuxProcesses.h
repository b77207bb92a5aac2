// Calls about other processes that older C libraries and kernel headers do not know.
#ifndef CLINUX_PROCESSES_H
#define CLINUX_PROCESSES_H

#include <stdbool.h>
#include <stdint.h>

// pidfd_open(2): a descriptor, closed by exec, or -errno.
int clinux_pidfd_open(int32_t process);

// How a process ended.
struct clinux_exit {
    bool is_known;
    // As wait(2) reports it.
    int32_t wait_status;
};

// What waitid(2) tells without reaping, and where it does not (no child of ours, or reaped
// already) what PIDFD_GET_INFO tells from Linux 6.15 on.
struct clinux_exit clinux_pidfd_exit(int pidfd);

// The same of a child by its number, which its parent must not have reaped.
struct clinux_exit clinux_child_exit(int32_t process);

// Whether there is a process of that number, be it a zombie.
bool clinux_process_exists(int32_t process);

#endif
