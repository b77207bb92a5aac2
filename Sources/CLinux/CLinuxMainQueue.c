#ifdef __linux__
#include "CLinuxMainQueue.h"

#include <stddef.h>

// The libdispatch functions that a run loop uses (from its private.h), and three public ones. They
// are weak: NULL if the process does not have libdispatch.
struct dispatch_queue_s;
extern struct dispatch_queue_s _dispatch_main_q __attribute__((weak));
extern void dispatch_async_f(struct dispatch_queue_s *, void *, void (*)(void *))
    __attribute__((weak));
extern void dispatch_queue_set_specific(
    struct dispatch_queue_s *, const void *key, void *value, void (*)(void *))
    __attribute__((weak));
extern void *dispatch_get_specific(const void *key) __attribute__((weak));
extern int _dispatch_get_main_queue_handle_4CF(void) __attribute__((weak));
extern void _dispatch_main_queue_callback_4CF(void *) __attribute__((weak));

// A key and value that only libdispatch's main queue has: the address of this variable.
static char mark;

bool clinux_main_queue_find(void) {
    bool isHere = &_dispatch_main_q && dispatch_async_f && dispatch_queue_set_specific
        && dispatch_get_specific && _dispatch_get_main_queue_handle_4CF
        && _dispatch_main_queue_callback_4CF;
    if (isHere) dispatch_queue_set_specific(&_dispatch_main_q, &mark, &mark, NULL);
    return isHere;
}

void clinux_main_queue_async(void (*function)(void *)) {
    dispatch_async_f(&_dispatch_main_q, NULL, function);
}

bool clinux_main_queue_is_current(void) { return dispatch_get_specific(&mark) == &mark; }

int clinux_main_queue_descriptor(void) { return _dispatch_get_main_queue_handle_4CF(); }

void clinux_main_queue_run(void) { _dispatch_main_queue_callback_4CF(NULL); }

#endif
