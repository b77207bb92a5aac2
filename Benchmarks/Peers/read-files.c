// Opens, reads and closes the files 0, 1, 2 ... of a folder, one after the other, twice. Prints the
// time of the second pass.
//
// read-files FOLDER COUNT
// Prints key=value lines.
#define _GNU_SOURCE
#include "peer.h"
#include <fcntl.h>

enum { BUFFER_BYTES = 262144 };

// Page-aligned: some processors copy twice as fast to such an address.
static char buffer[BUFFER_BYTES] __attribute__((aligned(4096)));

static uint64_t read_all(int folder, int count) {
    uint64_t bytes = 0;
    for (int i = 0; i < count; i++) {
        char name[16];
        snprintf(name, sizeof name, "%d", i);
        int file = openat(folder, name, O_RDONLY | O_CLOEXEC);
        CHECK(file >= 0, name);
        ssize_t more;
        while ((more = read(file, buffer, sizeof buffer)) > 0) bytes += (uint64_t)more;
        CHECK(more == 0, name);
        close(file);
    }
    return bytes;
}

int main(int count, char **arguments) {
    errno = EINVAL;
    CHECK(count == 3 && atoi(arguments[2]) > 0, "read-files FOLDER COUNT");
    int folder = open(arguments[1], O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    CHECK(folder >= 0, arguments[1]);
    read_all(folder, atoi(arguments[2]));
    uint64_t start = now_nanoseconds(), cpu_start = clock_nanoseconds(CLOCK_PROCESS_CPUTIME_ID);
    uint64_t bytes = read_all(folder, atoi(arguments[2]));
    printf("bytes=%llu\n", (unsigned long long)bytes);
    printf("ns=%llu\n", (unsigned long long)(now_nanoseconds() - start));
    printf("cpu_ns=%llu\n",
           (unsigned long long)(clock_nanoseconds(CLOCK_PROCESS_CPUTIME_ID) - cpu_start));
}
