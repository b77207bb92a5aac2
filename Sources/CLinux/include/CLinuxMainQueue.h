// libdispatch's main queue, in a process that has libdispatch: Swift's concurrency runs the main
// actor on it, and Foundation its run loop. Nothing here makes a program link that library.
#ifndef CLINUX_MAIN_QUEUE_H
#define CLINUX_MAIN_QUEUE_H

#include <stdbool.h>

// Whether the process has libdispatch. All else may be called only after that.
bool clinux_main_queue_find(void);

// Runs `function` on the queue, with NULL. dispatch_async_f(3).
void clinux_main_queue_async(void (*function)(void *));

// Whether the caller runs on the queue: the main thread does, until it leaves its queue to others.
bool clinux_main_queue_is_current(void);

// The eventfd that becomes readable when the queue has work for the main thread; -1 when the main
// thread has left the queue to other threads. It stays libdispatch's.
int clinux_main_queue_descriptor(void);

// Runs the work that waits. On the main thread, and not inside other work of the queue.
void clinux_main_queue_run(void);

#endif
