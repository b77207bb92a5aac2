internal import LinuxPlatform

// Groups of receivers (multicast). From any thread; the effect is there when a call returns.
extension DatagramSocket {
    /// Receives what is sent to a group. IP_ADD_MEMBERSHIP.
    ///
    /// The socket has to be bound to every address, or to the group's. It receives for the groups
    /// that it has joined itself, and not for those of others.
    /// - Parameters:
    ///   - interface: by name or index; nil: the one that the route to the group leads to.
    ///   - source: the only sender to receive from (IP_ADD_SOURCE_MEMBERSHIP); nil: everyone.
    public func join(
        _ group: IPAddress, on interface: InterfaceZone? = nil, from source: IPAddress? = nil
    ) throws {
        try change(.join, group, interface, source)
    }

    /// Ends a membership, named as in `join`. Closing the socket ends all.
    public func leave(
        _ group: IPAddress, on interface: InterfaceZone? = nil, from source: IPAddress? = nil
    ) throws {
        try change(.leave, group, interface, source)
    }

    private func change(
        _ membership: DatagramGroups.Membership, _ group: IPAddress, _ interface: InterfaceZone?,
        _ source: IPAddress?
    ) throws {
        let groupAddress = try Endpoint(group.unmapped, port: 0).socketAddress()
        let sourceAddress = try source.map { try Endpoint($0.unmapped, port: 0).socketAddress() }
        let index = try interface?.currentIndex() ?? 0
        try check {
            DatagramGroups.change(
                $0, membership, group: groupAddress, interface: index, source: sourceAddress)
        }
    }

    /// The interface by which datagrams to groups leave; nil: the one that the route leads to.
    /// IP_MULTICAST_IF.
    public func setGroupInterface(_ interface: InterfaceZone?) throws {
        let index = try interface?.currentIndex() ?? 0
        try check { DatagramGroups.setInterface($0, index) }
    }

    /// Whether members on this machine get what the socket sends to groups; true at first.
    /// IP_MULTICAST_LOOP.
    public func setGroupLoopback(_ isOn: Bool) throws {
        try check { DatagramGroups.setLoopback($0, isOn) }
    }

    /// How far datagrams to groups go: 1, as at first, to the link's end; 0: they stay on the
    /// machine; at most 255. IP_MULTICAST_TTL, IPV6_MULTICAST_HOPS.
    public func setGroupHops(_ hops: Int) throws {
        try check { DatagramGroups.setHops($0, Int32(clamping: hops)) }
    }

    private func check(_ body: (Int32) -> Int32) throws {
        let code = withDescriptor(body)
        guard code != 0 else { return }
        let remedy =
            switch code {
            case ErrorCode.noDevice:
                "no interface leads to the group: name one that 'ip link' lists"
            case ErrorCode.addressInUse: "the socket is a member of the group already"
            case ErrorCode.addressNotAvailable:
                "the socket is no member of the group, or the interface has no such address"
            case ErrorCode.badDescriptor: "the socket is closed"
            default: ""
            }
        throw SocketError("setsockopt", code, remedy: remedy)
    }
}
