// epoll(7): entries belong to open files, and are ready from an announcement until a wait finds
// that nothing holds any more.
#include "kernel.h"

#include <stdlib.h>
#include <string.h>

struct entry {
    struct file *set;
    struct file *file;
    int descriptor;
    struct epoll_event event;
    bool is_ready;
    // How often the entry was reported without any change.
    uint64_t activity;
    unsigned repeats;
    struct entry *next_of_file;
    struct entry *next_of_set;
    struct entry *next_ready;
};

static const uint32_t flags = EPOLLET | EPOLLONESHOT | EPOLLEXCLUSIVE | EPOLLWAKEUP;
enum { MOST_REPEATS = 100 };
static const uint32_t always = EPOLLERR | EPOLLHUP;

static void make_ready(struct entry *entry) {
    if (entry->is_ready) return;
    struct file *set = entry->set;
    entry->is_ready = true;
    entry->next_ready = NULL;
    if (set->last_ready) {
        set->last_ready->next_ready = entry;
    } else {
        set->first_ready = entry;
    }
    set->last_ready = entry;
}

static struct entry *take_ready(struct file *set) {
    struct entry *entry = set->first_ready;
    set->first_ready = entry->next_ready;
    if (!set->first_ready) set->last_ready = NULL;
    entry->is_ready = false;
    return entry;
}

static void forget_ready(struct entry *entry) {
    if (!entry->is_ready) return;
    struct file *set = entry->set;
    struct entry *rest = set->first_ready;
    set->first_ready = set->last_ready = NULL;
    while (rest) {
        struct entry *next = rest->next_ready;
        rest->is_ready = false;
        if (rest != entry) make_ready(rest);
        rest = next;
    }
}

static uint32_t holding(struct entry *entry) {
    uint32_t wanted = entry->event.events & ~flags;
    // EPOLLONESHOT has disabled it.
    if (wanted == 0) return 0;
    return poll_file(entry->file) & (wanted | always);
}

static void announce_set(struct file *set) { announce(set, EPOLLIN | EPOLLRDNORM); }

void announce_to_sets(struct file *file, uint32_t events) {
    for (struct entry *entry = file->entries; entry; entry = entry->next_of_file) {
        uint32_t wanted = entry->event.events & ~flags;
        if (wanted == 0) continue;
        if (events != 0 && (events & (wanted | always)) == 0) continue;
        make_ready(entry);
        announce_set(entry->set);
    }
}

// MARK: epoll_ctl

static struct entry **find(struct file *set, int descriptor, struct file *file) {
    struct entry **place = &set->members;
    while (*place && ((*place)->descriptor != descriptor || (*place)->file != file)) {
        place = &(*place)->next_of_set;
    }
    return place;
}

static void unlink_from_file(struct entry *entry) {
    struct entry **place = &entry->file->entries;
    while (*place != entry) place = &(*place)->next_of_file;
    *place = entry->next_of_file;
}

static void remove_entry(struct entry **place) {
    struct entry *entry = *place;
    forget_ready(entry);
    unlink_from_file(entry);
    *place = entry->next_of_set;
    free(entry);
}

static void set_event(struct entry *entry, const struct epoll_event *event) {
    entry->event = *event;
    if (!holding(entry)) return;
    make_ready(entry);
    announce_set(entry->set);
}

long change_set(
    struct file *set, int operation, int descriptor, struct file *file,
    const struct epoll_event *event) {
    if (set->kind != EPOLL) return -EINVAL;
    struct entry **place = find(set, descriptor, file);
    switch (operation) {
    case EPOLL_CTL_ADD:
        if (*place) return -EEXIST;
        if (misbehaves(SIMULATION_ADD_ERRORS)) return random_below(2) == 0 ? -ENOMEM : -ENOSPC;
        {
            struct entry *entry = calloc(1, sizeof *entry);
            entry->set = set;
            entry->file = file;
            entry->descriptor = descriptor;
            entry->next_of_file = file->entries;
            file->entries = entry;
            entry->next_of_set = set->members;
            set->members = entry;
            set_event(entry, event);
        }
        return 0;
    case EPOLL_CTL_MOD:
        if (!*place) return -ENOENT;
        set_event(*place, event);
        return 0;
    case EPOLL_CTL_DEL:
        if (!*place) return -ENOENT;
        remove_entry(place);
        return 0;
    default:
        return -EINVAL;
    }
}

void leave_sets(struct file *file) {
    while (file->entries) {
        struct entry *entry = file->entries;
        remove_entry(find(entry->set, entry->descriptor, file));
    }
}

void close_set(struct file *set) {
    while (set->members) remove_entry(&set->members);
}

// MARK: epoll_wait

bool set_is_ready(struct file *set) {
    for (struct entry *entry = set->first_ready; entry; entry = entry->next_ready) {
        if (holding(entry)) return true;
    }
    return false;
}

static void turn_round(struct file *set) {
    if (!set->first_ready || set->first_ready == set->last_ready) return;
    make_ready(take_ready(set));
}

// A loop that leaves a level-triggered entry in its set without handling it would spin.
static void note_report(struct entry *entry) {
    if (entry->activity != entry->file->activity) entry->repeats = 0;
    entry->activity = entry->file->activity;
    if (++entry->repeats > MOST_REPEATS) simulation_fail("an event is reported for ever");
}

static int collect(struct file *set, struct epoll_event *events, int capacity) {
    if (misbehaves(SIMULATION_FEWER_EVENTS)) {
        capacity = 1 + (int)random_below(2);
        turn_round(set);
    }
    struct entry *again[256];
    int again_count = 0;
    int count = 0;
    while (count < capacity && set->first_ready) {
        struct entry *entry = take_ready(set);
        uint32_t held = holding(entry);
        if (!held) continue;
        events[count].events = held;
        events[count].data = entry->event.data;
        record("  event", (long)held, entry->descriptor, entry->file->identity);
        count++;
        note_report(entry);
        if (entry->event.events & EPOLLONESHOT) {
            entry->event.events &= flags;
        } else if (!(entry->event.events & EPOLLET)) {
            again[again_count++] = entry;
        }
    }
    for (int index = 0; index < again_count; index++) make_ready(again[index]);
    return count;
}

long wait_for_events(
    struct file *set, struct epoll_event *events, int capacity, uint64_t deadline) {
    if (set->kind != EPOLL) return -EINVAL;
    if (capacity > 256) capacity = 256;
    while (true) {
        int count = collect(set, events, capacity);
        if (count > 0 || deadline == 0) return count;
        if (misbehaves(SIMULATION_INTERRUPTS)) return -EINTR;
        if (!wait_for(set, deadline, "events of file", set->identity)) {
            return collect(set, events, capacity);
        }
    }
}
