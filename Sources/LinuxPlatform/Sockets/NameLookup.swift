internal import CLinux
internal import Glibc

/// Resolves host names with the C library: getaddrinfo(3).
package enum NameLookup {
    /// Blocks, possibly for many seconds: for threads that may block.
    ///
    /// - Returns: each address once, in the order of RFC 6724, with port 0.
    package static func addresses(of host: String) throws(NameLookupError) -> [SocketAddress] {
        var hints = addrinfo()
        hints.ai_family = AF_UNSPEC
        // With one socket type, each address is returned once. AI_ADDRCONFIG could hide addresses
        // on a machine that has only the loopback interface.
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var first: UnsafeMutablePointer<addrinfo>?
        var code: Int32
        repeat { code = getaddrinfo(host, nil, &hints, &first) } while isInterrupted(code)
        guard code == 0 else {
            throw NameLookupError(code: code, systemCode: code == EAI_SYSTEM ? errno : nil)
        }
        defer { freeaddrinfo(first) }
        var addresses: [SocketAddress] = []
        var next = first
        while let entry = next {
            if let start = entry.pointee.ai_addr {
                let address = SocketAddress(
                    copying: .init(start: start, count: Int(entry.pointee.ai_addrlen)))
                if !addresses.contains(address) { addresses.append(address) }
            }
            next = entry.pointee.ai_next
        }
        return addresses
    }

    private static func isInterrupted(_ code: Int32) -> Bool {
        code == EAI_SYSTEM && errno == EINTR
    }

    /// Whether the machine has a route to the address and a source address for it. Connects a
    /// datagram socket, which sends nothing.
    package static func hasRoute(to address: SocketAddress) -> Bool {
        let kind = Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue)
        let number = socket(Int32(address.family), kind, 0)
        guard number >= 0 else { return false }
        let descriptor = OwnedDescriptor(adopting: number)
        return address.withSockaddr { connect(descriptor.number, $0, $1) } == 0
    }
}
