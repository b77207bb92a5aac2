// TCP connections, Unix socket pairs and pipes: bytes in order, ends and resets.
#define _GNU_SOURCE
#include "kernel.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

static const uint32_t readable = POLLIN | POLLRDNORM;
static const uint32_t writable = POLLOUT | POLLWRNORM;

static void make_buffer(struct file *file) {
    size_t capacity = file->kind == PIPE ? PIPE_BUF * (1 + random_below(4))
                                         : 1024 + random_below(15 * 1024 + 1);
    file->in = (struct buffer){malloc(capacity), capacity, 0, 0};
}

void make_pair(struct file *one, struct file *other) {
    make_buffer(one);
    make_buffer(other);
    one->peer = other;
    other->peer = one;
    one->is_connected = other->is_connected = true;
    one->can_read = other->can_read = true;
    one->can_write = other->can_write = true;
}

// MARK: bytes

size_t room(const struct file *file) {
    return file->peer ? file->peer->in.capacity - file->peer->in.count : 0;
}

// Whether there is enough room to announce.
static bool has_room(const struct file *file) {
    if (!file->peer) return false;
    size_t capacity = file->peer->in.capacity;
    switch (file->kind) {
    case PIPE:
        return room(file) >= PIPE_BUF;
    case UNIX:
        return (capacity - room(file)) * 4 <= capacity;
    default:
        return room(file) * 3 >= capacity;
    }
}

static void put(struct buffer *buffer, const unsigned char *bytes, size_t count) {
    for (size_t index = 0; index < count; index++) {
        buffer->bytes[(buffer->start + buffer->count + index) % buffer->capacity] = bytes[index];
    }
    buffer->count += count;
}

static void take(struct buffer *buffer, unsigned char *bytes, size_t count, bool peeks) {
    for (size_t index = 0; index < count; index++) {
        bytes[index] = buffer->bytes[(buffer->start + index) % buffer->capacity];
    }
    if (peeks) return;
    buffer->start = (buffer->start + count) % buffer->capacity;
    buffer->count -= count;
}

static size_t shortened(size_t count) {
    return count > 1 && misbehaves(SIMULATION_SHORT_TRANSFERS) ? 1 + random_below(count - 1)
                                                               : count;
}

// MARK: receiving

static long receive_now(struct file *file, void *bytes, size_t size, bool peeks) {
    if (!file->can_read) return file->kind == PIPE ? -EBADF : -ENOTCONN;
    file->activity++;
    if (file->in.count > 0) {
        size_t count = shortened(size < file->in.count ? size : file->in.count);
        take(&file->in, bytes, count, peeks);
        if (peeks) return (long)count;
        struct file *peer = file->peer;
        if (peer && peer->wants_room && has_room(peer)) {
            peer->wants_room = false;
            announce(peer, writable);
        }
        // As if the rest had arrived just now. A reader that gets less than it asked for may
        // rely on an event for what follows.
        if (count < size && file->in.count > 0) announce(file, readable);
        return (long)count;
    }
    if (file->error) {
        int error = file->error;
        file->error = 0;
        return -error;
    }
    if (file->has_ended || file->is_reset) return 0;
    return -EAGAIN;
}

long receive_bytes(struct file *file, void *bytes, size_t size, bool blocks, bool peeks) {
    while (true) {
        long result = receive_now(file, bytes, size, peeks);
        if (result != -EAGAIN || !blocks) return result;
        wait_for(file, NO_DEADLINE, "bytes of file", file->identity);
    }
}

// MARK: sending

static void announce_room(void *object) {
    struct file *file = object;
    if (file->peer && has_room(file)) announce(file, writable);
    let_go(file);
}

static long send_now(struct file *file, const void *bytes, size_t size) {
    if (!file->can_write) return file->kind == PIPE ? -EBADF : -EPIPE;
    if (file->error && file->kind == TCP) {
        int error = file->error;
        file->error = 0;
        return -error;
    }
    if (file->has_closed_output || file->is_reset) return -EPIPE;
    if (!file->peer) {
        if (file->kind != TCP) return -EPIPE;
        // The peer has closed: it answers the bytes with a reset.
        reset_stream(file, EPIPE);
        return (long)size;
    }
    size_t most = room(file);
    bool is_refused = most == 0 || (!has_room(file) && misbehaves(SIMULATION_SHORT_TRANSFERS));
    if (file->kind == PIPE && size <= PIPE_BUF && most < size) is_refused = true;
    if (is_refused) {
        file->wants_room = true;
        return -EAGAIN;
    }
    size_t count = size < most ? size : most;
    if (file->kind != PIPE || size > PIPE_BUF) count = shortened(count);
    put(&file->peer->in, bytes, count);
    if (count < size) {
        file->wants_room = true;
        // The reader may have nothing left to read that would make more room.
        if (has_room(file)) call_later(random_below(300000), announce_room, hold(file));
    }
    announce(file->peer, readable);
    return (long)count;
}

long send_bytes(struct file *file, const void *bytes, size_t size, bool blocks) {
    size_t sent = 0;
    while (true) {
        long result = send_now(file, (const char *)bytes + sent, size - sent);
        if (result > 0) sent += (size_t)result;
        if (result != -EAGAIN && (result < 0 || !blocks || sent == size)) {
            return sent > 0 ? (long)sent : result;
        }
        if (!blocks) return sent > 0 ? (long)sent : result;
        wait_for(file, NO_DEADLINE, "room of file", file->identity);
    }
}

// MARK: events

uint32_t poll_stream(struct file *file) {
    if (file->is_connecting) return 0;
    uint32_t events = 0;
    if (file->error) events |= POLLERR;
    if (file->kind == TCP && !file->is_connected) return events | POLLOUT | POLLHUP;
    if (file->in.count > 0) events |= readable;
    if (file->kind == PIPE) {
        if (file->can_read && file->has_ended) events |= POLLHUP;
        if (file->can_write && !file->peer) events |= POLLERR;
        if (file->can_write && (has_room(file) || !file->peer)) {
            events |= writable;
        } else {
            file->wants_room = true;
        }
        return events;
    }
    if ((file->has_ended && file->has_closed_output) || file->is_reset) events |= POLLHUP;
    if (file->has_ended || file->is_reset) events |= readable | POLLRDHUP;
    bool needs_no_room = file->has_closed_output || file->is_reset || !file->peer;
    if (needs_no_room || has_room(file)) {
        events |= writable;
    } else {
        file->wants_room = true;
    }
    return events;
}

// MARK: ends

void close_output(struct file *file) {
    if (file->has_closed_output) return;
    file->has_closed_output = true;
    if (file->peer) {
        file->peer->has_ended = true;
        announce(file->peer, 0);
    }
    announce(file, 0);
}

void reset_stream(struct file *file, int error) {
    if (file->peer) file->peer->peer = NULL;
    file->peer = NULL;
    file->is_reset = true;
    file->is_connecting = false;
    file->error = error;
    announce(file, 0);
}

void close_stream(struct file *file) {
    struct file *peer = file->peer;
    file->peer = NULL;
    if (!peer) return;
    peer->peer = NULL;
    bool has_unread = file->in.count > 0;
    if (file->kind == TCP && (has_unread || file->lingers_for_nothing)) {
        reset_stream(peer, ECONNRESET);
        return;
    }
    peer->has_ended = true;
    if (file->kind == UNIX) {
        peer->has_closed_output = true;
        if (has_unread) peer->error = ECONNRESET;
    }
    announce(peer, 0);
}
