// Functions of Swift's concurrency runtime. Swift itself offers the current task only by a generic
// function, which changes reference counts four times at each call. No logic lives here.
#ifndef CLINUX_TASKS_H
#define CLINUX_TASKS_H

#include <stdbool.h>

__attribute__((swiftcall)) extern void *swift_task_getCurrent(void);
__attribute__((swiftcall)) extern bool swift_task_isCancelled(void *task);

// The caller's task; NULL: none.
static inline void *clinux_current_task(void) { return swift_task_getCurrent(); }

// Whether the task, which must exist, is cancelled.
static inline bool clinux_task_is_cancelled(void *task) { return swift_task_isCancelled(task); }

#endif
