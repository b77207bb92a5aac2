// The part of signal sources that runs inside a signal handler, and what reads its tables.
#ifndef CLINUX_SIGNALS_H
#define CLINUX_SIGNALS_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/signalfd.h>

// One past the highest signal number.
#define CLINUX_SIGNAL_END 65

// The descriptor (an eventfd) that a delivery writes to. Before the first handler is installed.
void clinux_signal_set_wake(int descriptor);

// Makes `action` name our handler.
void clinux_signal_prepare(struct sigaction *action);

// Whether `action` names our handler.
bool clinux_signal_is_ours(const struct sigaction *action);

// Whether `action` names a function, instead of SIG_DFL or SIG_IGN.
bool clinux_signal_is_function(const struct sigaction *action);

// Whether two actions have the same effect.
bool clinux_signal_is_same(const struct sigaction *one, const struct sigaction *other);

// What our handler passes a delivery on to; NULL: to nothing. The action is never freed.
void clinux_signal_set_earlier(int number, const struct sigaction *action);
const struct sigaction *clinux_signal_earlier(int number);

// Whether our handler counts the deliveries of a signal.
void clinux_signal_set_counting(int number, bool is_counting);

// How many deliveries were counted since the last call.
uint64_t clinux_signal_take_count(int number);

#endif
