// Open files of the simulated kernel.
#ifndef KERNEL_H
#define KERNEL_H

#include "simulation.h"

#include <netinet/in.h>
#include <poll.h>
#include <sys/epoll.h>

enum { FIRST_DESCRIPTOR = 64, MOST_DESCRIPTORS = 1024 };

enum kind { TCP, UNIX, PIPE, LISTENER, EVENT, EPOLL };

struct buffer {
    unsigned char *bytes;
    size_t capacity;
    size_t start;
    size_t count;
};

// An open file description: what descriptors refer to.
struct file {
    enum kind kind;
    // Descriptors, and calls and timers that use the file.
    int references;
    bool is_non_blocking;
    // The entries of epoll sets.
    struct entry *entries;
    // Numbers files in the order of their making.
    long identity;
    uint64_t announcements;
    // Changes with each announcement and each receive.
    uint64_t activity;

    // A stream: `in` holds what the peer has sent.
    struct buffer in;
    struct file *peer;
    bool is_connected;
    bool is_connecting;
    bool can_read;
    bool can_write;
    // The peer sends nothing more.
    bool has_ended;
    // This side sends nothing more.
    bool has_closed_output;
    bool is_reset;
    bool lingers_for_nothing;
    // Announce room as soon as there is enough.
    bool wants_room;
    int error;
    struct sockaddr_in local;
    struct sockaddr_in remote;

    // A listener.
    struct file *waiting[256];
    int waiting_count;
    struct file *next_listener;

    // An eventfd, or a timerfd: the time of its next expiry, and its period (0: it is stopped).
    uint64_t counter;
    uint64_t due;
    uint64_t period;

    // An epoll set.
    struct entry *members;
    struct entry *first_ready;
    struct entry *last_ready;
};

// MARK: files.c

struct file *make_file(enum kind kind);
struct file *hold(struct file *file);
void let_go(struct file *file);
// Returns the descriptor, or -EMFILE.
int add_descriptor(struct file *file, bool closes_on_exec);
// NULL if the descriptor is not simulated or not open.
struct file *file_of(int descriptor);
bool is_simulated(int descriptor);
int close_descriptor(int descriptor);
int duplicate(int descriptor, int number);
_Noreturn void not_simulated(const char *call, int descriptor, long argument);

// The poll(2) events that hold.
uint32_t poll_file(struct file *file);
// Something has happened that may make the events hold; 0: any of them.
void announce(struct file *file, uint32_t events);
// Waits until something has happened to any file.
bool wait_for_files(uint64_t deadline, const char *reason, long detail);

// MARK: streams.c

void make_pair(struct file *one, struct file *other);
long receive_bytes(struct file *file, void *bytes, size_t size, bool blocks, bool peeks);
long send_bytes(struct file *file, const void *bytes, size_t size, bool blocks);
uint32_t poll_stream(struct file *file);
void close_stream(struct file *file);
void close_output(struct file *file);
void reset_stream(struct file *file, int error);
size_t room(const struct file *file);

// MARK: listeners.c

int bind_file(struct file *file, const struct sockaddr_in *address);
int listen_file(struct file *file);
long accept_file(struct file *file, bool blocks, struct file **accepted);
long connect_file(struct file *file, const struct sockaddr_in *address, bool blocks);
void close_listener(struct file *file);

// MARK: epoll.c

long change_set(
    struct file *set, int operation, int descriptor, struct file *file,
    const struct epoll_event *event);
long wait_for_events(
    struct file *set, struct epoll_event *events, int capacity, uint64_t deadline);
void announce_to_sets(struct file *file, uint32_t events);
bool set_is_ready(struct file *set);
void close_set(struct file *set);
void leave_sets(struct file *file);

#endif
