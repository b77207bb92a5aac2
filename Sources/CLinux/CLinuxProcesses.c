#ifdef __linux__
#define _GNU_SOURCE
#include "CLinuxProcesses.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef SYS_pidfd_open
#define SYS_pidfd_open 434
#endif

// P_PIDFD, which older C libraries lack.
#define CLINUX_P_PIDFD 3

// struct pidfd_info of linux/pidfd.h, as of Linux 6.13.
struct clinux_pidfd_info {
    uint64_t mask;
    uint64_t cgroupid;
    uint32_t pid, tgid, ppid;
    uint32_t ruid, rgid, euid, egid, suid, sgid, fsuid, fsgid;
    int32_t exit_code;
};
_Static_assert(sizeof(struct clinux_pidfd_info) == 64, "PIDFD_INFO_SIZE_VER0");
_Static_assert(offsetof(struct clinux_pidfd_info, exit_code) == 60, "the last of them");

#define CLINUX_PIDFD_GET_INFO _IOWR(0xff, 11, struct clinux_pidfd_info)
#define CLINUX_PIDFD_INFO_EXIT (1ull << 3)

int clinux_pidfd_open(int32_t process) {
    long result = syscall(SYS_pidfd_open, process, 0);
    return result < 0 ? -errno : (int)result;
}

static struct clinux_exit wait_without_reaping(idtype_t kind, id_t identifier) {
    struct clinux_exit result = {false, 0};
    siginfo_t information;
    information.si_pid = 0;
    // __WALL includes children that clone(2) made without SIGCHLD.
    int options = WEXITED | WNOHANG | WNOWAIT | __WALL;
    int code;
    do {
        code = waitid(kind, identifier, &information, options);
    } while (code != 0 && errno == EINTR);
    if (code != 0 || information.si_pid == 0) return result;
    result.is_known = true;
    switch (information.si_code) {
    case CLD_EXITED:
        result.wait_status = W_EXITCODE(information.si_status & 0xff, 0);
        break;
    case CLD_DUMPED:
        result.wait_status = W_EXITCODE(0, information.si_status) | WCOREFLAG;
        break;
    default:
        result.wait_status = W_EXITCODE(0, information.si_status);
        break;
    }
    return result;
}

struct clinux_exit clinux_pidfd_exit(int pidfd) {
    struct clinux_exit result = wait_without_reaping((idtype_t)CLINUX_P_PIDFD, (id_t)pidfd);
    if (result.is_known) return result;
    struct clinux_pidfd_info information = {.mask = CLINUX_PIDFD_INFO_EXIT};
    if (ioctl(pidfd, CLINUX_PIDFD_GET_INFO, &information) == 0
        && (information.mask & CLINUX_PIDFD_INFO_EXIT)) {
        result.is_known = true;
        result.wait_status = information.exit_code;
    }
    return result;
}

struct clinux_exit clinux_child_exit(int32_t process) {
    return wait_without_reaping(P_PID, (id_t)process);
}

bool clinux_process_exists(int32_t process) { return kill(process, 0) == 0 || errno != ESRCH; }

#endif
