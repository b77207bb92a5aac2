// refuse-io-uring: runs a command whose io_uring calls fail, as in a container whose seccomp
// profile forbids them. The filter survives execve(2) and cannot be removed: the command gets
// the same errors as in such a container.
//
//   refuse-io-uring [--only setup|enter|register|none] [--errno NAME] [--seconds N] COMMAND...
//
// --only     refuses one of the three calls and lets the others pass; default: all three
// --errno    the error of the refused calls; default: EPERM
// --seconds  SIGALRM ends the command after this time, so that no process outlives a killed test
//            run (an alarm survives execve)
//
// Exit status: the command's; 64 for wrong usage, 71 without seccomp, 126 when the command cannot
// run.
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__x86_64__)
#define ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define ARCHITECTURE AUDIT_ARCH_AARCH64
#else
#error "refuse-io-uring: add this machine's AUDIT_ARCH_ constant"
#endif

// One table for all architectures: the numbers of new calls are the same everywhere.
static const struct {
    const char *name;
    unsigned int number;
} calls[] = {{"setup", 425}, {"enter", 426}, {"register", 427}};

static const struct {
    const char *name;
    int value;
} errors[] = {
    {"EPERM", EPERM},   {"EACCES", EACCES}, {"ENOSYS", ENOSYS},         {"EINVAL", EINVAL},
    {"ENOMEM", ENOMEM}, {"EMFILE", EMFILE}, {"EOPNOTSUPP", EOPNOTSUPP},
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static void usage(const char *why) {
    fprintf(stderr, "refuse-io-uring: %s\n", why);
    fprintf(stderr, "usage: refuse-io-uring [--only setup|enter|register|none] [--errno NAME] "
                    "[--seconds N] COMMAND...\n");
    exit(64);
}

static int error_named(const char *name) {
    for (size_t index = 0; index < COUNT(errors); index++) {
        if (strcmp(errors[index].name, name) == 0) return errors[index].value;
    }
    usage("--errno: a name it does not know");
    return 0;
}

// A bit for each of `calls`.
static unsigned int calls_named(const char *name) {
    if (strcmp(name, "none") == 0) return 0;
    for (size_t index = 0; index < COUNT(calls); index++) {
        if (strcmp(calls[index].name, name) == 0) return 1u << index;
    }
    usage("--only: setup, enter, register or none");
    return 0;
}

static void refuse(unsigned int refused, int error) {
    struct sock_filter program[5 + 2 * COUNT(calls)];
    unsigned short length = 0;
#define APPEND(...) program[length++] = (struct sock_filter)__VA_ARGS__
    // Calls of another architecture (such as a 32-bit program's) have other numbers: allow them.
    APPEND(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch)));
    APPEND(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ARCHITECTURE, 1, 0));
    APPEND(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
    APPEND(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)));
    for (size_t index = 0; index < COUNT(calls); index++) {
        if (!(refused & (1u << index))) continue;
        APPEND(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, calls[index].number, 0, 1));
        APPEND(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (error & SECCOMP_RET_DATA)));
    }
    APPEND(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
#undef APPEND
    struct sock_fprog filter = {.len = length, .filter = program};
    // Without no_new_privs only root may install a filter.
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
        syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &filter) != 0) {
        perror("refuse-io-uring: seccomp");
        exit(71);
    }
}

int main(int argc, char **argv) {
    unsigned int refused = (1u << COUNT(calls)) - 1;
    int error = EPERM;
    int next = 1;
    for (; next < argc && strncmp(argv[next], "--", 2) == 0; next += 2) {
        if (next + 1 == argc) usage("an option without its value");
        const char *value = argv[next + 1];
        if (strcmp(argv[next], "--only") == 0) {
            refused = calls_named(value);
        } else if (strcmp(argv[next], "--errno") == 0) {
            error = error_named(value);
        } else if (strcmp(argv[next], "--seconds") == 0) {
            int seconds = atoi(value);
            if (seconds < 1) usage("--seconds: a number from 1");
            alarm((unsigned int)seconds);
        } else {
            usage("an option it does not know");
        }
    }
    if (next == argc) usage("no command");
    // Tests run in parallel: otherwise a long-lived command would keep the sockets of others open.
    syscall(SYS_close_range, 3, ~0u, 0);
    if (refused != 0) refuse(refused, error);
    execvp(argv[next], argv + next);
    fprintf(stderr, "refuse-io-uring: %s: %s\n", argv[next], strerror(errno));
    return 126;
}
