// Datagrams in batches: declarations of <sys/socket.h>, <netinet/in.h> and <netinet/udp.h> that
// Swift does not import. No logic lives here.
#ifndef CLINUX_DATAGRAMS_H
#define CLINUX_DATAGRAMS_H

#include <stdint.h>
#include <sys/socket.h>

// struct mmsghdr, which the C library declares only for GNU programs.
struct clinux_message {
    struct msghdr header;
    unsigned int count;
};

// struct in_pktinfo and struct in6_pktinfo, with the addresses in network order.
struct clinux_packet_info4 {
    int32_t interface;
    uint32_t source;
    uint32_t destination;
};
struct clinux_packet_info6 {
    uint8_t address[16];
    uint32_t interface;
};

enum {
    CLINUX_UDP_SEGMENT = 103,
    CLINUX_UDP_GRO = 104,
    CLINUX_IPV6_RECVPKTINFO = 49,
    CLINUX_IPV6_PKTINFO = 50,
    CLINUX_IP_MULTICAST_ALL = 49,
    CLINUX_IPV6_MULTICAST_ALL = 29,
};

// recvmmsg(2) and sendmmsg(2), without blocking or SIGPIPE. Return the number of messages, or
// -errno.
int clinux_receive_messages(int descriptor, struct clinux_message *list, unsigned count);
int clinux_send_messages(int descriptor, struct clinux_message *list, unsigned count);

// cmsg(3).
static inline struct cmsghdr *clinux_first_control(struct msghdr *message) {
    return CMSG_FIRSTHDR(message);
}
struct cmsghdr *clinux_next_control(struct msghdr *message, struct cmsghdr *control);
static inline void *clinux_control_data(struct cmsghdr *control) { return CMSG_DATA(control); }
static inline size_t clinux_control_length(size_t count) { return CMSG_LEN(count); }
static inline size_t clinux_control_space(size_t count) { return CMSG_SPACE(count); }

#endif
