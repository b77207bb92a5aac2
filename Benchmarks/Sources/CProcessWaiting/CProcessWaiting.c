// In C, because Swift does not import vfork(2).
#define _GNU_SOURCE
#include "CProcessWaiting.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

void benchmark_block_in_vfork(unsigned microseconds) {
    pid_t child = vfork();
    if (child == 0) {
        usleep(microseconds);
        _exit(0);
    }
    if (child < 0) {
        perror("vfork");
        exit(1);
    }
    while (waitpid(child, NULL, 0) < 0 && errno == EINTR) {}
}
