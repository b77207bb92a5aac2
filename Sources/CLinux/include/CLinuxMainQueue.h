// libdispatch's main queue, in a process that has libdispatch: Swift's concurrency runs the main
// actor on it, and Foundation its run loop. Nothing here links that library into a program.
#ifndef CLINUX_MAIN_QUEUE_H
#define CLINUX_MAIN_QUEUE_H

#include <stdbool.h>

// Whether the process has libdispatch. The other functions require it.
bool clinux_main_queue_find(void);

// Runs `function` on the queue, with NULL as its argument. dispatch_async_f(3).
void clinux_main_queue_async(void (*function)(void *));

// Whether the caller runs on the queue, as the main thread does until it calls dispatch_main(3).
bool clinux_main_queue_is_current(void);

// An eventfd, owned by libdispatch, that is readable when the queue has work for the main thread;
// -1 after the main thread has left the queue to other threads.
int clinux_main_queue_descriptor(void);

// Runs waiting work. On the main thread only, and not from within other work of the queue.
void clinux_main_queue_run(void);

#endif
