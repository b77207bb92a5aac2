// Directory entries in the kernel's form, which the C library declares only for GNU programs. No
// logic lives here.
#ifndef CLINUX_FOLDERS_H
#define CLINUX_FOLDERS_H

#include <stddef.h>
#include <stdint.h>

// O_PATH of open(2).
enum { CLINUX_OPEN_PATH = 010000000 };

// getdents64(2). Returns the number of bytes, 0 at the end, or -errno.
int64_t clinux_read_folder(int descriptor, void *buffer, size_t size);

#endif
