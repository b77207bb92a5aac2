// Opens what the program was started without.
//
// If a standard descriptor is closed at the start (`./server 2>&-`), the first file or socket gets
// its number, and what the program prints goes there: to a listening socket, write(2) raises
// SIGPIPE. Therefore /dev/null takes the number, before main(), as in Go and with setuid programs.
#ifdef __linux__
#define _GNU_SOURCE
#include "CLinux.h"

#include <errno.h>
#include <fcntl.h>

__attribute__((constructor)) void clinux_open_standard_descriptors(void) {
    for (int descriptor = 0; descriptor <= 2; ++descriptor) {
        // open(2) returns the lowest free number. A failure changes nothing.
        if (fcntl(descriptor, F_GETFD) < 0 && errno == EBADF) (void)open("/dev/null", O_RDWR);
    }
}
#endif
