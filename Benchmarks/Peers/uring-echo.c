// The plain io_uring echo server: one thread, multishot accept and recv, a buffer ring, and an
// inline send. Any thread may submit and reap (no SINGLE_ISSUER), as on RingDispatch's rings.
#define _GNU_SOURCE
#include "peer.h"
#include <liburing.h>
#include <poll.h>
#include <sys/mman.h>

enum {
    SUBMISSIONS = 1024,
    COMPLETIONS = 8192,
    BUFFERS = 1024,
    BUFFER_BYTES = 8192,
    BUFFER_GROUP = 1,
};
enum operation { ACCEPT, RECEIVE };

static struct io_uring ring;
static struct io_uring_buf_ring *buffer_ring;
static char *buffers;

static struct io_uring_sqe *next_submission(void) {
    struct io_uring_sqe *entry = io_uring_get_sqe(&ring);
    if (entry == NULL) {
        CHECK(io_uring_submit(&ring) >= 0, "io_uring_submit");
        entry = io_uring_get_sqe(&ring);
        CHECK(entry != NULL, "io_uring_get_sqe");
    }
    return entry;
}

static void arm(enum operation operation, int descriptor) {
    struct io_uring_sqe *entry = next_submission();
    if (operation == ACCEPT) {
        io_uring_prep_multishot_accept(entry, descriptor, NULL, NULL, SOCK_CLOEXEC);
    } else {
        io_uring_prep_recv_multishot(entry, descriptor, NULL, 0, 0);
        entry->flags |= IOSQE_BUFFER_SELECT;
        entry->buf_group = BUFFER_GROUP;
    }
    io_uring_sqe_set_data64(entry, (uint64_t)operation << 32 | (uint32_t)descriptor);
}

static void give_buffer(unsigned short id) {
    io_uring_buf_ring_add(buffer_ring, buffers + (size_t)id * BUFFER_BYTES, BUFFER_BYTES, id,
                          io_uring_buf_ring_mask(BUFFERS), 0);
    io_uring_buf_ring_advance(buffer_ring, 1);
}

static void *map_pages(size_t bytes) {
    void *pages = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_ANONYMOUS | MAP_PRIVATE, -1, 0);
    CHECK(pages != MAP_FAILED, "mmap");
    return pages;
}

static void set_up(void) {
    struct io_uring_params parameters = {
        .flags = IORING_SETUP_COOP_TASKRUN | IORING_SETUP_TASKRUN_FLAG | IORING_SETUP_SUBMIT_ALL
                 | IORING_SETUP_CQSIZE,
        .cq_entries = COMPLETIONS,
    };
    errno = -io_uring_queue_init_params(SUBMISSIONS, &ring, &parameters);
    CHECK(errno == 0, "io_uring_queue_init_params");
    buffers = map_pages((size_t)BUFFERS * BUFFER_BYTES);
    buffer_ring = map_pages(BUFFERS * sizeof(struct io_uring_buf));
    struct io_uring_buf_reg registration = {
        .ring_addr = (uint64_t)(uintptr_t)buffer_ring,
        .ring_entries = BUFFERS,
        .bgid = BUFFER_GROUP,
    };
    errno = -io_uring_register_buf_ring(&ring, &registration, 0);
    CHECK(errno == 0, "io_uring_register_buf_ring");
    io_uring_buf_ring_init(buffer_ring);
    for (unsigned short id = 0; id < BUFFERS; id++) give_buffer(id);
}

/// Blocks while the socket is full, which suffices for short messages.
static void send_all(int connection, const char *bytes, size_t count) {
    while (count > 0) {
        ssize_t sent = send(connection, bytes, count, MSG_DONTWAIT | MSG_NOSIGNAL);
        if (sent >= 0) {
            bytes += sent;
            count -= (size_t)sent;
        } else if (errno == EAGAIN) {
            struct pollfd writable = {.fd = connection, .events = POLLOUT};
            poll(&writable, 1, -1);
        } else if (errno != EINTR) {
            return;  // the receive reports the same error and closes the connection
        }
    }
}

static void received(int connection, const struct io_uring_cqe *completion) {
    if (completion->flags & IORING_CQE_F_BUFFER) {
        unsigned short id = (unsigned short)(completion->flags >> IORING_CQE_BUFFER_SHIFT);
        if (completion->res > 0) {
            send_all(connection, buffers + (size_t)id * BUFFER_BYTES, (size_t)completion->res);
        }
        give_buffer(id);
    }
    if (completion->flags & IORING_CQE_F_MORE) return;
    if (completion->res > 0 || completion->res == -ENOBUFS) {
        arm(RECEIVE, connection);
    } else {
        close(connection);
    }
}

static void accepted(int listener, const struct io_uring_cqe *completion) {
    if (completion->res >= 0) {
        set_no_delay(completion->res);
        arm(RECEIVE, completion->res);
    } else {
        errno = -completion->res;
        CHECK(errno == ECONNABORTED || errno == EINTR, "accept");
    }
    if (!(completion->flags & IORING_CQE_F_MORE)) arm(ACCEPT, listener);
}

int main(int count, char **arguments) {
    set_up();
    int listener = listen_and_announce((int)option(count, arguments, "--port", 0), 0);
    arm(ACCEPT, listener);
    for (;;) {
        int status = io_uring_submit_and_wait(&ring, 1);
        errno = -status;
        CHECK(status >= 0 || status == -EINTR || status == -EBUSY, "io_uring_submit_and_wait");
        struct io_uring_cqe *completion;
        unsigned head, reaped = 0;
        io_uring_for_each_cqe(&ring, head, completion) {
            int descriptor = (int)(uint32_t)completion->user_data;
            if (completion->user_data >> 32 == ACCEPT) {
                accepted(descriptor, completion);
            } else {
                received(descriptor, completion);
            }
            reaped++;
        }
        io_uring_cq_advance(&ring, reaped);
    }
}
