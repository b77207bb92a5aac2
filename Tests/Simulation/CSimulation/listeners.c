// Addresses, listening sockets and connecting ones. All addresses are of this machine.
#include "kernel.h"

#include <arpa/inet.h>
#include <string.h>

static struct file *listeners;
static uint16_t last_port = 40000;

int bind_file(struct file *file, const struct sockaddr_in *address) {
    if (address->sin_family != AF_INET) return -EAFNOSUPPORT;
    file->local = *address;
    if (file->local.sin_port == 0) file->local.sin_port = htons(++last_port);
    return 0;
}

int listen_file(struct file *file) {
    file->kind = LISTENER;
    file->next_listener = listeners;
    listeners = file;
    return 0;
}

static struct file *listener_at(const struct sockaddr_in *address) {
    for (struct file *file = listeners; file; file = file->next_listener) {
        if (file->local.sin_port == address->sin_port) return file;
    }
    return NULL;
}

void close_listener(struct file *file) {
    for (struct file **place = &listeners; *place; place = &(*place)->next_listener) {
        if (*place != file) continue;
        *place = file->next_listener;
        break;
    }
    for (int index = 0; index < file->waiting_count; index++) {
        file->waiting[index]->lingers_for_nothing = true;
        let_go(file->waiting[index]);
    }
    file->waiting_count = 0;
}

static struct file *take_waiting(struct file *file) {
    struct file *first = file->waiting[0];
    file->waiting_count--;
    memmove(
        file->waiting, file->waiting + 1, sizeof *file->waiting * (size_t)file->waiting_count);
    return first;
}

long accept_file(struct file *file, bool blocks, struct file **accepted) {
    if (file->kind != LISTENER) return -EINVAL;
    while (file->waiting_count == 0) {
        if (!blocks) return -EAGAIN;
        wait_for(file, NO_DEADLINE, "connections of file", file->identity);
    }
    if (misbehaves(SIMULATION_ACCEPT_ERRORS)) {
        if (random_below(2) == 0) return -EMFILE;
        struct file *lost = take_waiting(file);
        lost->lingers_for_nothing = true;
        let_go(lost);
        return -ECONNABORTED;
    }
    *accepted = take_waiting(file);
    return 0;
}

static long establish(struct file *file) {
    struct file *listener = listener_at(&file->remote);
    if (!listener || listener->waiting_count == sizeof file->waiting / sizeof *file->waiting) {
        return -ECONNREFUSED;
    }
    struct file *other = make_file(TCP);
    make_pair(file, other);
    other->local = listener->local;
    other->remote = file->local;
    listener->waiting[listener->waiting_count++] = other;
    announce(listener, POLLIN | POLLRDNORM);
    return 0;
}

static void connect_now(void *object) {
    struct file *file = object;
    if (file->is_connecting && file->references > 1) {
        file->is_connecting = false;
        long result = establish(file);
        if (result < 0) reset_stream(file, (int)-result);
        announce(file, 0);
    }
    let_go(file);
}

long connect_file(struct file *file, const struct sockaddr_in *address, bool blocks) {
    if (address->sin_family != AF_INET) return -EAFNOSUPPORT;
    if (file->is_connecting) return -EALREADY;
    if (file->is_connected) return -EISCONN;
    if (file->local.sin_port == 0) {
        file->local = *address;
        file->local.sin_port = htons(++last_port);
    }
    file->remote = *address;
    if (blocks) return establish(file);
    file->is_connecting = true;
    call_later(1000 + random_below(500000), connect_now, hold(file));
    return -EINPROGRESS;
}
