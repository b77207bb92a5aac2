internal import LinuxPlatform

// Multicast. The calls are synchronous and may be made from any thread.
extension DatagramSocket {
    /// Joins a multicast group (IP_ADD_MEMBERSHIP).
    ///
    /// The socket must be bound to the wildcard address or to the group's. It receives only for
    /// groups that it has joined itself, not for those of other sockets.
    /// - Parameters:
    ///   - group: a multicast address.
    ///   - interface: by name or index; nil: the interface of the route to the group.
    ///   - source: the only sender to receive from (IP_ADD_SOURCE_MEMBERSHIP); nil: any.
    /// - Throws: ``SocketError``, with advice; ``EndpointError`` if there is no such interface.
    public func join(
        _ group: IPAddress, on interface: InterfaceZone? = nil, from source: IPAddress? = nil
    ) throws {
        try change(.join, group, interface, source)
    }

    /// Leaves a group, with the same arguments as `join`. Closing the socket leaves all.
    /// - Throws: ``SocketError``, with advice; ``EndpointError`` if there is no such interface.
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

    /// Sets the interface for sending to groups (IP_MULTICAST_IF); nil: the route decides.
    /// - Throws: ``SocketError``, with advice; ``EndpointError`` if there is no such interface.
    public func setGroupInterface(_ interface: InterfaceZone?) throws {
        let index = try interface?.currentIndex() ?? 0
        try check { DatagramGroups.setInterface($0, index) }
    }

    /// Sets whether members on this machine receive datagrams that the socket sends to groups
    /// (IP_MULTICAST_LOOP). True by default.
    /// - Throws: ``SocketError``, if the socket is closed.
    public func setGroupLoopback(_ isOn: Bool) throws {
        try check { DatagramGroups.setLoopback($0, isOn) }
    }

    /// Sets the hop limit of datagrams to groups, 0 to 255 (IP_MULTICAST_TTL, IPV6_MULTICAST_HOPS).
    /// 1, the default, reaches the local link; 0 stays on the machine.
    /// - Throws: ``SocketError``, also for a number that is out of range.
    public func setGroupHops(_ hops: Int) throws {
        try check { DatagramGroups.setHops($0, Int32(clamping: hops)) }
    }

    private func check(_ body: (Int32) -> Int32) throws {
        let code = withDescriptor(body)
        guard code != 0 else { return }
        let remedy =
            switch code {
            case ErrorCode.noDevice:
                "no route leads to the group: choose an interface that 'ip link' lists"
            case ErrorCode.addressInUse: "the socket is already a member of the group"
            case ErrorCode.addressNotAvailable:
                "the socket is not a member of the group, or the interface has no such address"
            case ErrorCode.badDescriptor: "the socket is closed"
            default: ""
            }
        throw SocketError("setsockopt", code, remedy: remedy)
    }
}
