#ifdef __linux__
#define _GNU_SOURCE
#include "CLinuxDatagrams.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/udp.h>
#include <stddef.h>

_Static_assert(sizeof(struct clinux_message) == sizeof(struct mmsghdr), "as the C library's");
_Static_assert(
    offsetof(struct clinux_message, count) == offsetof(struct mmsghdr, msg_len),
    "as the C library's");
_Static_assert(sizeof(struct clinux_packet_info4) == sizeof(struct in_pktinfo), "as the kernel's");
_Static_assert(sizeof(struct clinux_packet_info6) == sizeof(struct in6_pktinfo), "as the kernel's");
_Static_assert(CLINUX_UDP_SEGMENT == UDP_SEGMENT && CLINUX_UDP_GRO == UDP_GRO, "as the kernel's");
_Static_assert(CLINUX_IPV6_PKTINFO == IPV6_PKTINFO, "as the kernel's");
_Static_assert(CLINUX_IPV6_RECVPKTINFO == IPV6_RECVPKTINFO, "as the kernel's");
_Static_assert(CLINUX_IP_MULTICAST_ALL == IP_MULTICAST_ALL, "as the kernel's");
_Static_assert(CLINUX_IPV6_MULTICAST_ALL == IPV6_MULTICAST_ALL, "as the kernel's");

int clinux_receive_messages(int descriptor, struct clinux_message *list, unsigned count) {
    int result = recvmmsg(
        descriptor, (struct mmsghdr *)list, count, MSG_DONTWAIT | MSG_CMSG_CLOEXEC, NULL);
    return result < 0 ? -errno : result;
}

int clinux_send_messages(int descriptor, struct clinux_message *list, unsigned count) {
    int result =
        sendmmsg(descriptor, (struct mmsghdr *)list, count, MSG_DONTWAIT | MSG_NOSIGNAL);
    return result < 0 ? -errno : result;
}

struct cmsghdr *clinux_next_control(struct msghdr *message, struct cmsghdr *control) {
    return CMSG_NXTHDR(message, control);
}

#endif
