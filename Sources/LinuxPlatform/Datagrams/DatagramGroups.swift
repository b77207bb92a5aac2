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
        return set(
            descriptor, ipv4: (IP_MULTICAST_IF, request),
            ipv6: (IPV6_MULTICAST_IF, request.imr_ifindex))
    }

    /// Sets whether members on this machine receive datagrams that the socket sends to a group.
    package static func setLoopback(_ descriptor: Int32, _ isOn: Bool) -> Int32 {
        let value: Int32 = isOn ? 1 : 0
        return set(
            descriptor, ipv4: (IP_MULTICAST_LOOP, value), ipv6: (IPV6_MULTICAST_LOOP, value))
    }

    /// Sets the hop limit of datagrams to groups.
    package static func setHops(_ descriptor: Int32, _ hops: Int32) -> Int32 {
        set(descriptor, ipv4: (IP_MULTICAST_TTL, hops), ipv6: (IPV6_MULTICAST_HOPS, hops))
    }

    /// An IPv6 socket may serve IPv4, too, so both options are set.
    private static func set<Value: BitwiseCopyable>(
        _ descriptor: Int32, ipv4: (name: Int32, value: Value), ipv6: (name: Int32, value: Int32)
    ) -> Int32 {
        let family = Int32(Sockets.localAddress(of: descriptor)?.family ?? 0)
        if family == AF_INET6 {
            let code = Sockets.setOption(descriptor, Int32(IPPROTO_IPV6), ipv6.name, ipv6.value)
            if code != 0 { return code }
        }
        guard family == AF_INET || family == AF_INET6 else { return EOPNOTSUPP }
        let code = Sockets.setStructure(descriptor, Int32(IPPROTO_IP), ipv4.name, ipv4.value)
        return family == AF_INET ? code : 0
    }
}
