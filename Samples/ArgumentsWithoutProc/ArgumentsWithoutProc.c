// On Linux, Swift's runtime reads the command line from /proc/self/cmdline. Without /proc it is
// empty there, and a program would take its defaults for what it was told. This hands the runtime
// what the C library gives to functions that run before main.
#include <unistd.h>

// Of Swift's runtime. Weak: one that has it no more is linked with all the same.
extern void _swift_stdlib_overrideUnsafeArgvArgc(char **argv, int argc) __attribute__((weak));

__attribute__((constructor)) static void remember_arguments(int argc, char **argv) {
    if (_swift_stdlib_overrideUnsafeArgvArgc && access("/proc/self/cmdline", R_OK) != 0) {
        _swift_stdlib_overrideUnsafeArgvArgc(argv, argc);
    }
}
