package import LinuxPlatform

extension Endpoint {
    /// The kernel's form of the endpoint. Resolves the zone's name; throws for an unknown zone and
    /// for an unresolved host.
    package func socketAddress() throws(EndpointError) -> SocketAddress {
        switch self {
        case .ipv4(let address, let port):
            return SocketAddress(ipv4: address.rawValue, port: port)
        case .ipv6(let address, let port, let zone):
            let scope = try zone?.currentIndex() ?? 0
            return SocketAddress(ipv6: address.rawValue, port: port, scope: scope)
        case .host(let name, _):
            throw EndpointError(
                .unresolvedHost, name.name.utf8, "is a host name, and sockets need an address",
                remedy: "write one, such as 127.0.0.1 or [::1] for localhost, or resolve the name "
                    + "first, with a Resolver")
        case .unix(let address):
            let bytes = address.bytes
            guard
                let result = address.isAbstract
                    ? SocketAddress(unixAbstract: bytes) : SocketAddress(unixPath: bytes)
            else {
                // Possible only for a name that another program gave its socket.
                throw EndpointError(
                    .unixNameTooLong, bytes, "is too long for the kernel",
                    remedy: "use a name of at most \(UnixAddress.longestBytes) bytes")
            }
            return result
        }
    }

    /// The address to which a connecting socket is bound.
    func clientAddress() throws(EndpointError) -> SocketAddress {
        if case .unix(let address) = self, !address.isAbstract {
            throw EndpointError(
                .localUnixPath, "\(self)".utf8,
                "is the path of a socket that connects, whose file would stay",
                remedy: "use an abstract name such as unix:@client, or no local endpoint")
        }
        return try socketAddress()
    }

    /// The file that a bound Unix socket has.
    var socketFile: UnixSocketFile? {
        guard case .unix(let address) = self, !address.isAbstract else { return nil }
        return UnixSocketFile(address.bytes)
    }

    /// Nil for an unnamed Unix socket, as clients have, and for other address families.
    package init?(_ address: SocketAddress) {
        switch address.parts {
        case .ipv4(let address, let port):
            self = .ipv4(IPv4Address(rawValue: address), port: port)
        case .ipv6(let address, let port, let scope):
            self = .ipv6(
                IPv6Address(rawValue: address), port: port, zone: InterfaceZone(index: scope))
        case .unixPath(let path):
            self = .unix(UnixAddress(kernel: path, isAbstract: false))
        case .unixAbstract(let name) where !name.isEmpty:
            self = .unix(UnixAddress(kernel: name, isAbstract: true))
        case .unixAbstract, .unixUnnamed, .other:
            return nil
        }
    }
}

extension InterfaceZone {
    /// The kernel's current index of the interface.
    func currentIndex() throws(EndpointError) -> UInt32 {
        if let index { return index }
        if let name, let index = NetworkInterfaces.index(of: name) { return index }
        throw EndpointError(
            .unknownInterface, description.utf8, "is not a network interface of this machine",
            remedy: "choose one that 'ip link' lists")
    }
}
