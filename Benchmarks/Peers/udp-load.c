// The load client of UDP servers: each of its sockets keeps one datagram in flight, and sends it
// again if there is no echo after 200 ms. A latency counts from the first sending. Verifies every
// byte.
//
// udp-load --port P [--connections 64] [--size 64] [--warmup 0.5] [--seconds 2] [--server-pid PID]
// Prints key=value lines; lost is the number of datagrams sent again.
#define _GNU_SOURCE
#include "load.h"
#include <sys/timerfd.h>

enum { LOST_MILLISECONDS = 200, CHECKS_PER_LIMIT = 4, MOST_BYTES = 65507 };

struct connection {
    int descriptor;
    unsigned sequence;  // sent in front of the bytes: an echo may come after the second sending
    uint64_t first_sent_at, sent_at;
};

static struct connection *connections;
static unsigned char buffer[MOST_BYTES + 1] __attribute__((aligned(4096)));
static unsigned char outgoing[MOST_BYTES];
static int timer;
static unsigned long long lost;

static void send_message(struct load *load, struct connection *connection) {
    memcpy(outgoing, &connection->sequence, sizeof connection->sequence);
    memcpy(outgoing + sizeof connection->sequence,
           message(load, connection->descriptor, connection->sequence),
           load->size - sizeof connection->sequence);
    connection->sent_at = now_nanoseconds();
    if (connection->first_sent_at == 0) connection->first_sent_at = connection->sent_at;
    // Without room the datagram counts as lost.
    CHECK(send(connection->descriptor, outgoing, load->size, 0) >= 0 || errno == EAGAIN
              || errno == ENOBUFS || errno == EINTR,
          "send");
}

static void send_lost_again(struct load *load) {
    uint64_t expirations;
    CHECK(read(timer, &expirations, sizeof expirations) == sizeof expirations, "timer");
    uint64_t limit = now_nanoseconds() - LOST_MILLISECONDS * 1000000u;
    for (int i = 0; i < load->connection_count; i++) {
        if (connections[i].sent_at > limit) continue;
        lost++;
        send_message(load, &connections[i]);
    }
}

static void serve(struct load *load, const struct epoll_event *event) {
    struct connection *connection = event->data.ptr;
    if (connection == NULL) {
        send_lost_again(load);
        return;
    }
    ssize_t count = recv(connection->descriptor, buffer, sizeof buffer, 0);
    if (count < 0 && (errno == EAGAIN || errno == EINTR)) return;
    CHECK(count >= 0, "recv");
    unsigned sequence;
    memcpy(&sequence, buffer, sizeof sequence);
    require((size_t)count == load->size && sequence <= connection->sequence
                && memcmp(buffer + sizeof sequence,
                          message(load, connection->descriptor, sequence),
                          load->size - sizeof sequence)
                       == 0,
            "wrong bytes");
    if (sequence < connection->sequence) return;  // the second echo of a datagram sent again
    count_message(load, now_nanoseconds() - connection->first_sent_at);
    connection->first_sent_at = 0;
    connection->sequence++;
    send_message(load, connection);
}

static void connect_all(struct load *load) {
    struct sockaddr_in address = loopback(load->port);
    connections = calloc((size_t)load->connection_count, sizeof *connections);
    CHECK(connections != NULL, "calloc");
    for (int i = 0; i < load->connection_count; i++) {
        int descriptor = socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
        CHECK(descriptor >= 0, "socket");
        CHECK(connect(descriptor, (struct sockaddr *)&address, sizeof address) == 0, "connect");
        connections[i].descriptor = descriptor;
        set_events(load, EPOLL_CTL_ADD, descriptor, EPOLLIN, &connections[i]);
        send_message(load, &connections[i]);
    }
    timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC);
    CHECK(timer >= 0, "timerfd_create");
    struct timespec period = {.tv_nsec = LOST_MILLISECONDS / CHECKS_PER_LIMIT * 1000000};
    struct itimerspec periods = {.it_interval = period, .it_value = period};
    CHECK(timerfd_settime(timer, 0, &periods, NULL) == 0, "timerfd_settime");
    set_events(load, EPOLL_CTL_ADD, timer, EPOLLIN, NULL);
}

int main(int count, char **arguments) {
    static struct load load = {.serve = serve, .connection_count = 64};
    load.size = (size_t)option(count, arguments, "--size", 64);
    prepare_load(&load, count, arguments);
    errno = EINVAL;
    CHECK(load.size > sizeof(unsigned) && load.size <= MOST_BYTES, "--size");
    connect_all(&load);
    warm_up(&load);
    lost = 0;
    measure_and_print(&load);
    printf("lost=%llu\n", lost);
}
