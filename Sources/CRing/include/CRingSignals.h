// The part of signal sources that runs inside a signal handler, and what reads its tables.
#ifndef CRING_SIGNALS_H
#define CRING_SIGNALS_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/signalfd.h>

// One past the highest signal number.
#define CRING_SIGNAL_END 65

// Handlers of other code that were installed above ours, and that may still call it when a source
// comes again, are counted in levels: each level has a handler function and a table of its own, so
// that none of them is ever asked to call itself.
#define CRING_SIGNAL_LEVELS 8

// The descriptor (an eventfd) that a delivery writes to. Before the first handler is installed.
void cring_signal_set_wake(int descriptor);

// Makes `action` name the handler of a level.
void cring_signal_prepare(struct sigaction *action, int level);

// The level whose handler `action` names, or -1.
int cring_signal_level(const struct sigaction *action);

// Whether `action` names a function, instead of SIG_DFL or SIG_IGN.
bool cring_signal_is_function(const struct sigaction *action);

// Whether two actions have the same effect.
bool cring_signal_is_same(const struct sigaction *one, const struct sigaction *other);

// What a level's handler passes a delivery on to; NULL: to nothing. The action is never freed.
void cring_signal_set_earlier(int level, int number, const struct sigaction *action);
const struct sigaction *cring_signal_earlier(int level, int number);

// The level whose handler counts the deliveries of a signal, or -1.
void cring_signal_set_counting(int number, int level);
int cring_signal_counting(int number);

// How many deliveries were counted since the last call.
uint64_t cring_signal_take_count(int number);

#endif
