// The C library's functions for descriptors. They serve simulated descriptors themselves, and pass
// all others on to the kernel of the machine.
#define _GNU_SOURCE
#include "calls.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <netinet/tcp.h>
#include <stdarg.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

long enter_ring(int descriptor, unsigned count, unsigned flags);
long futex_call(
    uint32_t *word, int operation, uint32_t value, const struct timespec *time, uint32_t *other);

long (*real_syscall(void))(long, ...) {
    static long (*function)(long, ...);
    if (!function) function = (long (*)(long, ...))dlsym(RTLD_NEXT, "syscall");
    return function;
}

// Returns a negated errno.
long real_call(long number, long a, long b, long c, long d, long e, long f) {
    long result = real_syscall()(number, a, b, c, d, e, f);
    return result == -1 ? -errno : result;
}

// MARK: descriptors

static int opened(const char *call, struct file *file) {
    int descriptor = add_descriptor(file, true);
    if (descriptor < 0) let_go(file);
    return done(call, 0, 0, descriptor);
}

int close(int descriptor) {
    FORWARD(descriptor, SYS_close, descriptor);
    enter("close");
    return done("close", descriptor, 0, close_descriptor(descriptor));
}

int dup(int descriptor) {
    FORWARD(descriptor, SYS_dup, descriptor);
    enter("dup");
    return done("dup", descriptor, 0, duplicate(descriptor, -1));
}

int dup3(int descriptor, int number, int flags) {
    FORWARD(descriptor, SYS_dup3, descriptor, number, flags);
    enter("dup3");
    return done("dup3", descriptor, number, duplicate(descriptor, number));
}

int fcntl64(int descriptor, int command, ...) {
    va_list list;
    va_start(list, command);
    long argument = va_arg(list, long);
    va_end(list);
    SERVE("fcntl", descriptor, SYS_fcntl, descriptor, command, argument);
    long result = 0;
    if (command == F_GETFL) {
        result = O_RDWR | (file->is_non_blocking ? O_NONBLOCK : 0);
    } else if (command == F_SETFL) {
        file->is_non_blocking = argument & O_NONBLOCK;
    } else if (command == F_GETFD) {
        result = FD_CLOEXEC;
    } else if (command == F_DUPFD_CLOEXEC) {
        result = duplicate(descriptor, -1);
    } else if (command == F_GETPIPE_SZ && file->kind == PIPE) {
        result = (long)(file->can_write && file->peer ? file->peer->in.capacity
                                                      : file->in.capacity);
    } else if (command != F_SETFD) {
        not_simulated("fcntl", descriptor, command);
    }
    return done("fcntl", descriptor, command, result);
}

int fcntl(int descriptor, int command, ...) __attribute__((alias("fcntl64")));

int ioctl(int descriptor, unsigned long request, ...) {
    va_list list;
    va_start(list, request);
    int *value = va_arg(list, int *);
    va_end(list);
    SERVE("ioctl", descriptor, SYS_ioctl, descriptor, request, value);
    if (file->kind > PIPE) return done("ioctl", descriptor, (long)request, -EINVAL);
    if (request == FIONREAD) {
        const struct file *place = file->can_read || !file->peer ? file : file->peer;
        *value = (int)place->in.count;
    } else if (request == TIOCOUTQ) {
        *value = file->peer ? (int)file->peer->in.count : 0;
    } else {
        not_simulated("ioctl", descriptor, (long)request);
    }
    return done("ioctl", descriptor, (long)request, 0);
}

int fstat(int descriptor, struct stat *status) {
    SERVE("fstat", descriptor, SYS_fstat, descriptor, status);
    memset(status, 0, sizeof *status);
    status->st_mode = file->kind == PIPE ? S_IFIFO : S_IFSOCK;
    return done("fstat", descriptor, 0, 0);
}

// MARK: making files

int eventfd(unsigned value, int flags) {
    FORWARD_UNLESS(current_thread, SYS_eventfd2, value, flags);
    enter("eventfd");
    struct file *file = make_file(EVENT);
    file->counter = value;
    file->is_non_blocking = flags & EFD_NONBLOCK;
    return opened("eventfd", file);
}

int timerfd_create(clockid_t clock, int flags) {
    FORWARD_UNLESS(current_thread && clock == CLOCK_MONOTONIC, SYS_timerfd_create, clock, flags);
    enter("timerfd_create");
    struct file *file = make_file(EVENT);
    file->is_non_blocking = flags & TFD_NONBLOCK;
    return opened("timerfd_create", file);
}

int timerfd_settime(
    int descriptor, int flags, const struct itimerspec *setting, struct itimerspec *old) {
    SERVE("timerfd_settime", descriptor, SYS_timerfd_settime, descriptor, flags, setting, old);
    if (flags != 0 || old) not_simulated("timerfd_settime", descriptor, flags);
    file->period = nanoseconds(&setting->it_interval);
    file->due = now() + nanoseconds(&setting->it_value);
    file->counter = 0;
    wake_channel(file, MOST_THREADS);
    return (int)done("timerfd_settime", descriptor, (long)file->period, 0);
}

int epoll_create1(int flags) {
    FORWARD_UNLESS(current_thread, SYS_epoll_create1, flags);
    enter("epoll_create1");
    return opened("epoll_create1", make_file(EPOLL));
}

static int opened_pair(const char *call, struct file *pair[2], bool is_non_blocking, int into[2]) {
    for (int index = 0; index < 2; index++) {
        pair[index]->is_non_blocking = is_non_blocking;
        into[index] = add_descriptor(pair[index], true);
        if (into[index] < 0) simulation_fail("no descriptor is left");
    }
    return done(call, into[0], into[1], 0);
}

int pipe2(int into[2], int flags) {
    FORWARD_UNLESS(current_thread, SYS_pipe2, into, flags);
    enter("pipe2");
    struct file *pair[2] = {make_file(PIPE), make_file(PIPE)};
    make_pair(pair[0], pair[1]);
    pair[0]->can_write = pair[1]->can_read = false;
    return opened_pair("pipe2", pair, flags & O_NONBLOCK, into);
}

int pipe(int into[2]) { return pipe2(into, 0); }

int socketpair(int family, int type, int protocol, int into[2]) {
    FORWARD_UNLESS(current_thread, SYS_socketpair, family, type, protocol, into);
    enter("socketpair");
    if (family != AF_UNIX || (type & 0xf) != SOCK_STREAM) not_simulated("socketpair", family, type);
    struct file *pair[2] = {make_file(UNIX), make_file(UNIX)};
    make_pair(pair[0], pair[1]);
    return opened_pair("socketpair", pair, type & SOCK_NONBLOCK, into);
}

int socket(int family, int type, int protocol) {
    FORWARD_UNLESS(current_thread, SYS_socket, family, type, protocol);
    enter("socket");
    if (family != AF_INET || (type & 0xf) != SOCK_STREAM) not_simulated("socket", family, type);
    struct file *file = make_file(TCP);
    file->is_non_blocking = type & SOCK_NONBLOCK;
    file->local.sin_family = AF_INET;
    return opened("socket", file);
}

// MARK: connections

int bind(int descriptor, const struct sockaddr *address, socklen_t size) {
    SERVE("bind", descriptor, SYS_bind, descriptor, address, size);
    return done("bind", descriptor, 0, bind_file(file, (const struct sockaddr_in *)address));
}

int listen(int descriptor, int backlog) {
    SERVE("listen", descriptor, SYS_listen, descriptor, backlog);
    return done("listen", descriptor, backlog, listen_file(file));
}

static void tell_name(
    const struct file *file, bool is_peer, struct sockaddr *address, socklen_t *size) {
    struct sockaddr_in known = is_peer ? file->remote : file->local;
    size_t length = sizeof known;
    if (file->kind == UNIX) {
        known.sin_family = AF_UNIX;
        length = sizeof known.sin_family;
    }
    memcpy(address, &known, *size < length ? *size : length);
    *size = (socklen_t)length;
}

int accept4(int descriptor, struct sockaddr *address, socklen_t *size, int flags) {
    SERVE("accept4", descriptor, SYS_accept4, descriptor, address, size, flags);
    hold(file);
    struct file *accepted = NULL;
    long result = accept_file(file, !file->is_non_blocking, &accepted);
    let_go(file);
    if (result < 0) return done("accept4", descriptor, 0, result);
    accepted->is_non_blocking = flags & SOCK_NONBLOCK;
    if (address) tell_name(accepted, true, address, size);
    return opened("accept4", accepted);
}

int connect(int descriptor, const struct sockaddr *address, socklen_t size) {
    SERVE("connect", descriptor, SYS_connect, descriptor, address, size);
    const struct sockaddr_in *peer = (const struct sockaddr_in *)address;
    return done("connect", descriptor, 0, connect_file(file, peer, !file->is_non_blocking));
}

static int name(
    const char *call, int descriptor, struct sockaddr *address, socklen_t *size, bool is_peer) {
    enter(call);
    struct file *file = file_of(descriptor);
    if (!file) return done(call, descriptor, 0, -EBADF);
    bool is_named = file->kind == LISTENER ? !is_peer : file->is_connected && !file->is_reset;
    if (is_peer && !is_named) return done(call, descriptor, 0, -ENOTCONN);
    tell_name(file, is_peer, address, size);
    return done(call, descriptor, 0, 0);
}

int getsockname(int descriptor, struct sockaddr *address, socklen_t *size) {
    FORWARD(descriptor, SYS_getsockname, descriptor, address, size);
    return name("getsockname", descriptor, address, size, false);
}

int getpeername(int descriptor, struct sockaddr *address, socklen_t *size) {
    FORWARD(descriptor, SYS_getpeername, descriptor, address, size);
    return name("getpeername", descriptor, address, size, true);
}

int shutdown(int descriptor, int how) {
    SERVE("shutdown", descriptor, SYS_shutdown, descriptor, how);
    if (how != SHUT_WR) not_simulated("shutdown", descriptor, how);
    if (!file->is_connected || file->is_reset) {
        return done("shutdown", descriptor, how, -ENOTCONN);
    }
    close_output(file);
    return done("shutdown", descriptor, how, 0);
}

int setsockopt(int descriptor, int level, int option, const void *value, socklen_t size) {
    SERVE("setsockopt", descriptor, SYS_setsockopt, descriptor, level, option, value, size);
    if (level == SOL_SOCKET && option == SO_LINGER) {
        const struct linger *linger = value;
        file->lingers_for_nothing = linger->l_onoff && linger->l_linger == 0;
    }
    return done("setsockopt", descriptor, option, 0);
}

int getsockopt(int descriptor, int level, int option, void *value, socklen_t *size) {
    SERVE("getsockopt", descriptor, SYS_getsockopt, descriptor, level, option, value, size);
    bool is_socket = file->kind == TCP || file->kind == UNIX || file->kind == LISTENER;
    if (!is_socket) return done("getsockopt", descriptor, option, -ENOTSOCK);
    int number = 0;
    if (level == IPPROTO_TCP && option == TCP_INFO) {
        memset(value, 0, *size);
        if (*size >= 28) ((uint32_t *)value)[6] = (uint32_t)file->waiting_count;
        return done("getsockopt", descriptor, option, 0);
    }
    bool is_transparency = level == IPPROTO_IP && option == IP_TRANSPARENT
        || level == IPPROTO_IPV6 && option == IPV6_TRANSPARENT;
    if (level != SOL_SOCKET && !is_transparency) not_simulated("getsockopt", descriptor, option);
    if (is_transparency) {
        number = 0;
    } else if (option == SO_ERROR) {
        number = file->error;
        file->error = 0;
    } else if (option == SO_TYPE) {
        number = SOCK_STREAM;
    } else if (option == SO_DOMAIN) {
        number = file->kind == UNIX ? AF_UNIX : AF_INET;
    } else if (option == SO_ACCEPTCONN) {
        number = file->kind == LISTENER;
    } else if (option == SO_SNDBUF) {
        number = (int)(file->peer ? file->peer->in.capacity : file->in.capacity);
    } else {
        not_simulated("getsockopt", descriptor, option);
    }
    memcpy(value, &number, sizeof number);
    *size = sizeof number;
    return done("getsockopt", descriptor, option, 0);
}

// MARK: waiting

int poll(struct pollfd *list, nfds_t count, int milliseconds) {
    FORWARD_UNLESS(count > 0 && is_simulated(list[0].fd), SYS_poll, list, count, milliseconds);
    step("poll");
    uint64_t deadline = milliseconds < 0 ? NO_DEADLINE : now() + (uint64_t)milliseconds * 1000000;
    while (true) {
        int ready = 0;
        for (nfds_t index = 0; index < count; index++) {
            struct file *file = file_of(list[index].fd);
            uint32_t held = file ? poll_file(file) : POLLNVAL;
            uint32_t wanted = (uint32_t)(unsigned short)list[index].events;
            list[index].revents =
                (short)(held & (wanted | POLLERR | POLLHUP | POLLNVAL));
            if (list[index].revents) ready++;
        }
        if (ready > 0 || milliseconds == 0) {
            return done("poll", list[0].fd, list[0].revents, ready);
        }
        if (!wait_for_files(deadline, "poll of", list[0].fd)) {
            return done("poll", list[0].fd, 0, 0);
        }
    }
}

int epoll_ctl(int set, int operation, int descriptor, struct epoll_event *event) {
    FORWARD(set, SYS_epoll_ctl, set, operation, descriptor, event);
    static const char *const names[] = {"?", "epoll_ctl add", "epoll_ctl del", "epoll_ctl mod"};
    const char *call = names[operation & 3];
    enter(call);
    struct file *file = file_of(set);
    struct file *other = file_of(descriptor);
    if (file && !is_simulated(descriptor)) not_simulated(call, descriptor, 0);
    long result = file && other ? change_set(file, operation, descriptor, other, event) : -EBADF;
    long events = operation == EPOLL_CTL_DEL ? 0 : (long)event->events;
    return done(call, descriptor, events, result);
}

static long epoll_wait_call(int set, struct epoll_event *events, int capacity, uint64_t deadline) {
    step("epoll_wait");
    struct file *file = file_of(set);
    if (!file) return -EBADF;
    hold(file);
    long result = wait_for_events(file, events, capacity, deadline);
    let_go(file);
    record("epoll_wait", set, deadline == 0 ? 0 : 1, result);
    return result;
}

int epoll_wait(int set, struct epoll_event *events, int capacity, int milliseconds) {
    FORWARD(set, SYS_epoll_wait, set, events, capacity, milliseconds);
    uint64_t deadline = milliseconds < 0    ? NO_DEADLINE
                        : milliseconds == 0 ? 0
                                            : now() + (uint64_t)milliseconds * 1000000;
    return finish(epoll_wait_call(set, events, capacity, deadline));
}

// MARK: syscall(2)

long syscall(long number, ...) {
    va_list list;
    va_start(list, number);
    long a = va_arg(list, long), b = va_arg(list, long), c = va_arg(list, long);
    long d = va_arg(list, long), e = va_arg(list, long), f = va_arg(list, long);
    va_end(list);
    if (!current_thread) return finish(real_call(number, a, b, c, d, e, f));
    switch (number) {
    case SYS_futex:
        return finish(futex_call(
            (uint32_t *)a, (int)b, (uint32_t)c, (const struct timespec *)d, (uint32_t *)e));
    case SYS_gettid:
        return FIRST_THREAD_IDENTIFIER + current_thread->number;
    case SYS_sendto:
        return send((int)a, (const void *)b, (size_t)c, (int)d);
    case SYS_recvfrom:
        return recv((int)a, (void *)b, (size_t)c, (int)d);
    case SYS_epoll_pwait2: {
        if (!is_simulated((int)a)) break;
        const struct timespec *time = (const struct timespec *)d;
        uint64_t deadline = NO_DEADLINE;
        if (time) deadline = nanoseconds(time) == 0 ? 0 : now() + nanoseconds(time);
        return finish(epoll_wait_call((int)a, (struct epoll_event *)b, (int)c, deadline));
    }
    case SYS_io_uring_enter:
        return finish(enter_ring((int)a, (unsigned)b, (unsigned)d));
    case SYS_membarrier:
        drain_all_stores();
        return 0;
    case SYS_ioprio_set:
        break;
    default:
        not_simulated("syscall", -1, number);
    }
    return finish(real_call(number, a, b, c, d, e, f));
}

// MARK: calls that no scenario makes

ssize_t sendfile64(int to, int from, off64_t *offset, size_t count) {
    FORWARD(to, SYS_sendfile, to, from, offset, count);
    not_simulated("sendfile", to, 0);
}

ssize_t sendfile(int to, int from, off_t *offset, size_t count)
    __attribute__((alias("sendfile64")));

int recvmmsg(
    int descriptor, struct mmsghdr *list, unsigned count, int flags, struct timespec *time) {
    FORWARD(descriptor, SYS_recvmmsg, descriptor, list, count, flags, time);
    not_simulated("recvmmsg", descriptor, 0);
}

int sendmmsg(int descriptor, struct mmsghdr *list, unsigned count, int flags) {
    FORWARD(descriptor, SYS_sendmmsg, descriptor, list, count, flags);
    not_simulated("sendmmsg", descriptor, 0);
}

ssize_t recvfrom(
    int descriptor, void *bytes, size_t count, int flags, struct sockaddr *address,
    socklen_t *size) {
    FORWARD(descriptor, SYS_recvfrom, descriptor, bytes, count, flags, address, size);
    not_simulated("recvfrom", descriptor, 0);
}

ssize_t sendto(
    int descriptor, const void *bytes, size_t count, int flags, const struct sockaddr *address,
    socklen_t size) {
    FORWARD(descriptor, SYS_sendto, descriptor, bytes, count, flags, address, size);
    not_simulated("sendto", descriptor, 0);
}
