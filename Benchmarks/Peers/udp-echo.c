// The plain UDP echo server: one thread, which blocks in recvmmsg(2). What has arrived, up to 64
// datagrams, is sent back with one sendmmsg(2).
//
// udp-echo --port P
#define _GNU_SOURCE
#include "peer.h"

enum { DATAGRAMS = 64, BUFFER_BYTES = 65536 };

// Page-aligned: some processors copy twice as fast to such an address.
static char buffers[DATAGRAMS][BUFFER_BYTES] __attribute__((aligned(4096)));
static struct sockaddr_storage senders[DATAGRAMS];
static struct iovec parts[DATAGRAMS];
static struct mmsghdr datagrams[DATAGRAMS];

/// Drops a datagram that the kernel refuses.
static void send_all(int descriptor, int count) {
    for (int sent = 0; sent < count;) {
        int more = sendmmsg(descriptor, datagrams + sent, (unsigned)(count - sent), 0);
        if (more < 0 && errno == EINTR) continue;
        sent += more < 0 ? 1 : more;
    }
}

int main(int count, char **arguments) {
    int descriptor = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    CHECK(descriptor >= 0, "socket");
    bind_to_loopback(descriptor, (int)option(count, arguments, "--port", 0));
    announce(descriptor);
    for (int i = 0; i < DATAGRAMS; i++) {
        parts[i] = (struct iovec){.iov_base = buffers[i], .iov_len = BUFFER_BYTES};
        datagrams[i].msg_hdr = (struct msghdr){.msg_name = &senders[i],
                                               .msg_namelen = sizeof senders[i],
                                               .msg_iov = &parts[i],
                                               .msg_iovlen = 1};
    }
    for (;;) {
        int received = recvmmsg(descriptor, datagrams, DATAGRAMS, MSG_WAITFORONE, NULL);
        CHECK(received >= 0 || errno == EINTR, "recvmmsg");
        for (int i = 0; i < received; i++) parts[i].iov_len = datagrams[i].msg_len;
        send_all(descriptor, received);
        for (int i = 0; i < received; i++) {
            parts[i].iov_len = BUFFER_BYTES;
            datagrams[i].msg_hdr.msg_namelen = sizeof senders[i];
        }
    }
}
