#ifdef __linux__
#include "CLinuxFolders.h"

#include <errno.h>
#include <sys/syscall.h>
#include <unistd.h>

int64_t clinux_read_folder(int descriptor, void *buffer, size_t size) {
    long count = syscall(SYS_getdents64, descriptor, buffer, size);
    return count < 0 ? -errno : count;
}

#endif
