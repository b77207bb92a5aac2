internal import CLinux
internal import Glibc

/// Multicast: ip(7), ipv6(7). Each call returns 0 or an errno.
package enum DatagramGroups {
    package enum Membership: Sendable {
        case join
        case leave
    }

    /// - Parameters:
    ///   - interface: an index; 0: the interface of the route to the group.
    ///   - source: the only sender to receive from; nil: any.
    package static func change(
        _ descriptor: Int32, _ membership: Membership, group: SocketAddress, interface: UInt32,
        source: SocketAddress?
    ) -> Int32 {
        let level = level(of: group)
        if let source {
            var request = group_source_req()
            request.gsr_interface = interface
            copy(group, to: &request.gsr_group)
            copy(source, to: &request.gsr_source)
            let name = membership == .join ? MCAST_JOIN_SOURCE_GROUP : MCAST_LEAVE_SOURCE_GROUP
            return Sockets.setStructure(descriptor, level, name, request)
        }
        var request = group_req()
        request.gr_interface = interface
        copy(group, to: &request.gr_group)
        let name = membership == .join ? MCAST_JOIN_GROUP : MCAST_LEAVE_GROUP
        return Sockets.setStructure(descriptor, level, name, request)
    }

    private static func copy(_ address: SocketAddress, to storage: inout sockaddr_storage) {
        address.withBytes { bytes in
            withUnsafeMutableBytes(of: &storage) { $0.copyMemory(from: bytes) }
        }
    }

    private static func level(of group: SocketAddress) -> Int32 {
        Int32(group.family == UInt16(AF_INET6) ? IPPROTO_IPV6 : IPPROTO_IP)
    }

    /// Sets the interface for sending to groups; 0: the route decides.
    package static func setInterface(_ descriptor: Int32, _ interface: UInt32) -> Int32 {
        var request = ip_mreqn()
        request.imr_ifindex = Int32(bitPattern: interface)
        return each(
            descriptor,
            ipv4: {
                Sockets.setStructure(descriptor, Int32(IPPROTO_IP), IP_MULTICAST_IF, request)
            },
            ipv6: {
                Sockets.setOption(
                    descriptor, Int32(IPPROTO_IPV6), IPV6_MULTICAST_IF,
                    Int32(bitPattern: interface))
            })
    }

    /// Sets whether members on this machine receive datagrams that the socket sends to a group.
    package static func setLoopback(_ descriptor: Int32, _ isOn: Bool) -> Int32 {
        set(descriptor, ipv4: IP_MULTICAST_LOOP, ipv6: IPV6_MULTICAST_LOOP, isOn ? 1 : 0)
    }

    /// Sets the hop limit of datagrams to groups.
    package static func setHops(_ descriptor: Int32, _ hops: Int32) -> Int32 {
        set(descriptor, ipv4: IP_MULTICAST_TTL, ipv6: IPV6_MULTICAST_HOPS, hops)
    }

    private static func set(
        _ descriptor: Int32, ipv4: Int32, ipv6: Int32, _ value: Int32
    ) -> Int32 {
        func set(_ level: Int, _ name: Int32) -> Int32 {
            Sockets.setOption(descriptor, Int32(level), name, value)
        }
        return each(
            descriptor, ipv4: { set(IPPROTO_IP, ipv4) }, ipv6: { set(IPPROTO_IPV6, ipv6) })
    }

    /// An IPv6 socket may serve IPv4, too, so both options are set.
    private static func each(
        _ descriptor: Int32, ipv4: () -> Int32, ipv6: () -> Int32
    ) -> Int32 {
        let family = Int32(Sockets.localAddress(of: descriptor)?.family ?? 0)
        switch family {
        case AF_INET: return ipv4()
        case AF_INET6:
            let code = ipv6()
            if code == 0 { _ = ipv4() }
            return code
        default: return EOPNOTSUPP
        }
    }
}
