// The part of signal sources that runs inside a signal handler, and accessors of its tables.
#ifndef CLINUX_SIGNALS_H
#define CLINUX_SIGNALS_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/signalfd.h>

// One past the highest signal number.
#define CLINUX_SIGNAL_END 65

// Sets the eventfd that deliveries write to. Call it before a handler is installed.
void clinux_signal_set_wake(int descriptor);

// Makes the library's handler the handler of `action`.
void clinux_signal_prepare(struct sigaction *action);

// Whether the handler of `action` is the library's.
bool clinux_signal_is_ours(const struct sigaction *action);

// Whether the handler of `action` is a function, not SIG_DFL or SIG_IGN.
bool clinux_signal_is_function(const struct sigaction *action);

// Whether two actions have the same effect.
bool clinux_signal_is_same(const struct sigaction *one, const struct sigaction *other);

// The action whose handler the library's handler calls next; NULL: none. The action is never freed.
void clinux_signal_set_earlier(int number, const struct sigaction *action);
const struct sigaction *clinux_signal_earlier(int number);

// Whether the library's handler counts the deliveries of a signal.
void clinux_signal_set_counting(int number, bool is_counting);

// Returns the deliveries counted since the last call, and resets the count.
uint64_t clinux_signal_take_count(int number);

#endif
