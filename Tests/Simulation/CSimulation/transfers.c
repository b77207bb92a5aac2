// read(2), send(2) and their like on simulated descriptors.
#define _GNU_SOURCE
#include "calls.h"

#include <poll.h>
#include <sys/uio.h>
#include <unistd.h>

// Counts what has expired of a timerfd.
static bool has_expired(struct file *file) {
    if (file->period == 0 || now() < file->due) return false;
    uint64_t count = (now() - file->due) / file->period + 1;
    file->counter += count;
    file->due += count * file->period;
    return true;
}

static long transfer_in(
    const char *call, int descriptor, const struct iovec *list, int count, int flags) {
    enter(call);
    struct file *file = file_of(descriptor);
    if (!file) return done(call, descriptor, 0, -EBADF);
    if (flags & ~(MSG_DONTWAIT | MSG_NOSIGNAL | MSG_PEEK | MSG_CMSG_CLOEXEC)) {
        not_simulated(call, descriptor, flags);
    }
    // Linux never interrupts a call of an eventfd that does not block.
    if (file->kind != EVENT && misbehaves(SIMULATION_INTERRUPTS)) {
        return done(call, descriptor, 0, -EINTR);
    }
    hold(file);
    long result = 0;
    size_t wanted = 0;
    if (file->kind == EVENT) {
        while (!has_expired(file) && file->counter == 0 && blocks(file, flags)) {
            uint64_t due = file->period > 0 ? file->due : NO_DEADLINE;
            wait_for(file, due, "the eventfd or timerfd of file", file->identity);
        }
        result = file->counter > 0 ? 8 : -EAGAIN;
        if (result > 0) memcpy(list[0].iov_base, &file->counter, 8);
        file->counter = 0;
    } else if (file->kind > PIPE) {
        not_simulated(call, descriptor, file->kind);
    } else {
        for (int index = 0; index < count; index++) {
            wanted += list[index].iov_len;
            long got = receive_bytes(
                file, list[index].iov_base, list[index].iov_len,
                blocks(file, flags) && result == 0, flags & MSG_PEEK);
            if (got < 0 && result == 0) result = got;
            if (got > 0) result += got;
            if (got < (long)list[index].iov_len) break;
        }
    }
    record(call, descriptor, (long)wanted, result);
    let_go(file);
    return finish(result);
}

static long transfer_out(
    const char *call, int descriptor, const struct iovec *list, int count, int flags) {
    enter(call);
    struct file *file = file_of(descriptor);
    if (!file) return done(call, descriptor, 0, -EBADF);
    if (flags & ~(MSG_DONTWAIT | MSG_NOSIGNAL)) not_simulated(call, descriptor, flags);
    // Linux never interrupts a call of an eventfd that does not block.
    if (file->kind != EVENT && misbehaves(SIMULATION_INTERRUPTS)) {
        return done(call, descriptor, 0, -EINTR);
    }
    hold(file);
    long result = 0;
    size_t wanted = 0;
    if (file->kind == EVENT) {
        uint64_t added;
        memcpy(&added, list[0].iov_base, 8);
        file->counter += added;
        announce(file, POLLIN | POLLRDNORM);
        result = 8;
    } else if (file->kind > PIPE) {
        not_simulated(call, descriptor, file->kind);
    } else {
        for (int index = 0; index < count; index++) {
            wanted += list[index].iov_len;
            long sent = send_bytes(
                file, list[index].iov_base, list[index].iov_len, blocks(file, flags));
            if (sent < 0 && result == 0) result = sent;
            if (sent > 0) result += sent;
            if (sent < (long)list[index].iov_len) break;
        }
    }
    record(call, descriptor, (long)wanted, result);
    let_go(file);
    return finish(result);
}

ssize_t read(int descriptor, void *bytes, size_t count) {
    FORWARD(descriptor, SYS_read, descriptor, bytes, count);
    struct iovec piece = {bytes, count};
    return transfer_in("read", descriptor, &piece, 1, 0);
}

ssize_t readv(int descriptor, const struct iovec *list, int count) {
    FORWARD(descriptor, SYS_readv, descriptor, list, count);
    return transfer_in("readv", descriptor, list, count, 0);
}

ssize_t preadv2(int descriptor, const struct iovec *list, int count, off_t offset, int flags) {
    FORWARD(descriptor, SYS_preadv2, descriptor, list, count, offset, 0, flags);
    if (offset != -1 || flags != RWF_NOWAIT) not_simulated("preadv2", descriptor, flags);
    return transfer_in("preadv2", descriptor, list, count, MSG_DONTWAIT);
}

ssize_t recv(int descriptor, void *bytes, size_t count, int flags) {
    FORWARD(descriptor, SYS_recvfrom, descriptor, bytes, count, flags, NULL, NULL);
    struct iovec piece = {bytes, count};
    return transfer_in("recv", descriptor, &piece, 1, flags);
}

ssize_t recvmsg(int descriptor, struct msghdr *message, int flags) {
    FORWARD(descriptor, SYS_recvmsg, descriptor, message, flags);
    message->msg_controllen = 0;
    message->msg_flags = 0;
    return transfer_in("recvmsg", descriptor, message->msg_iov, (int)message->msg_iovlen, flags);
}

ssize_t write(int descriptor, const void *bytes, size_t count) {
    if (current_thread && descriptor == STDERR_FILENO) return note_line(bytes, count);
    FORWARD(descriptor, SYS_write, descriptor, bytes, count);
    struct iovec piece = {(void *)bytes, count};
    return transfer_out("write", descriptor, &piece, 1, 0);
}

ssize_t writev(int descriptor, const struct iovec *list, int count) {
    FORWARD(descriptor, SYS_writev, descriptor, list, count);
    return transfer_out("writev", descriptor, list, count, 0);
}

ssize_t pwritev2(int descriptor, const struct iovec *list, int count, off_t offset, int flags) {
    FORWARD(descriptor, SYS_pwritev2, descriptor, list, count, offset, 0, flags);
    if (offset != -1 || flags != RWF_NOWAIT) not_simulated("pwritev2", descriptor, flags);
    return transfer_out("pwritev2", descriptor, list, count, MSG_DONTWAIT);
}

ssize_t send(int descriptor, const void *bytes, size_t count, int flags) {
    FORWARD(descriptor, SYS_sendto, descriptor, bytes, count, flags, NULL, 0);
    struct iovec piece = {(void *)bytes, count};
    return transfer_out("send", descriptor, &piece, 1, flags);
}

ssize_t sendmsg(int descriptor, const struct msghdr *message, int flags) {
    FORWARD(descriptor, SYS_sendmsg, descriptor, message, flags);
    return transfer_out("sendmsg", descriptor, message->msg_iov, (int)message->msg_iovlen, flags);
}
