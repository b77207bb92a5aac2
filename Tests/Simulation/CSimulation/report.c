// The last events, the hash of all, and failures.
#include "simulation.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { KEPT = 256 };

struct event {
    uint64_t time;
    int thread;
    const char *call;
    long first;
    long second;
    long result;
};

static struct event events[KEPT];
static uint64_t count;
static uint64_t hash = 0xcbf29ce484222325;
static bool is_tracing;
static char notes[KEPT][48];

void start_recording(bool traces) { is_tracing = traces; }

void mix(uint64_t value) { hash = (hash ^ value) * 0x100000001b3; }

uint64_t simulation_hash(void) { return hash; }

static void print(const struct event *event) {
    fprintf(
        stderr, "%12.3f us  thread %-3d %-24s %ld %ld = %ld", (double)event->time / 1000,
        event->thread, event->call, event->first, event->second, event->result);
    if (event->result < 0 && event->result > -200) {
        fprintf(stderr, " (%s)", strerror((int)-event->result));
    }
    fputc('\n', stderr);
}

void record(const char *call, long first, long second, long result) {
    struct event *event = &events[count++ % KEPT];
    *event = (struct event){
        now(), current_thread ? current_thread->number : -1, call, first, second, result};
    mix((uint64_t)event->thread);
    mix((uint64_t)(unsigned char)call[0] << 8 | (unsigned char)call[1]);
    mix((uint64_t)first);
    mix((uint64_t)second);
    mix((uint64_t)result);
    if (is_tracing) print(event);
}

void simulation_note(const char *text, int64_t number) {
    if (!current_thread) return;
    char *note = notes[count % KEPT];
    snprintf(note, sizeof notes[0], "-- %s", text);
    record(note, (long)number, 0, 0);
}

static char last_line[400];

long note_line(const void *bytes, size_t count) {
    snprintf(last_line, sizeof last_line, "%.*s", (int)count, (const char *)bytes);
    if (is_tracing) fputs(last_line, stderr);
    return (long)count;
}

void describe_threads(void);

static void print_events(void) {
    uint64_t first = count > KEPT ? count - KEPT : 0;
    if (!is_tracing) {
        fprintf(stderr, "the last %llu events:\n", (unsigned long long)(count - first));
        for (uint64_t index = first; index < count; index++) print(&events[index % KEPT]);
    }
    describe_threads();
    fputs(last_line, stderr);
}

_Noreturn void simulation_fail(const char *reason) {
    struct thread *thread = current_thread;
    current_thread = NULL;
    print_events();
    fprintf(
        stderr, "thread %d at %.3f us: %s\n", thread ? thread->number : -1,
        (double)simulation_now() / 1000, reason);
    _exit(3);
}

static void crashed(int number) {
    static char reason[64];
    snprintf(reason, sizeof reason, "signal %d: %s", number, strsignal(number));
    simulation_fail(reason);
}

// An alternative stack is not needed: only the end of a stack would need one.
void catch_crashes(void) {
    int numbers[] = {SIGILL, SIGTRAP, SIGSEGV, SIGBUS, SIGABRT, SIGALRM};
    for (size_t index = 0; index < sizeof numbers / sizeof *numbers; index++) {
        signal(numbers[index], crashed);
    }
    signal(SIGPIPE, SIG_IGN);
}
