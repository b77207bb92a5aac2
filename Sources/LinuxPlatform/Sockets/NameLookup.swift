internal import CLinux
internal import Glibc

/// Asks the C library for the addresses of a host: getaddrinfo(3).
package enum NameLookup {
    /// Blocks until the answer is there, which may take many seconds: for threads that may block.
    ///
    /// - Returns: each address once, in the order in which RFC 6724 wants them tried; port 0.
    package static func addresses(of host: String) throws(NameLookupError) -> [SocketAddress] {
        var hints = addrinfo()
        hints.ai_family = AF_UNSPEC
        // One kind of socket, or each address would come once for each kind. No AI_ADDRCONFIG: it
        // may hide addresses from a machine that has no network but its loopback interface.
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

    /// Whether the machine has a route to the address and an address of its own for it. Sends
    /// nothing: only a datagram socket is connected.
    package static func hasRoute(to address: SocketAddress) -> Bool {
        let kind = Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue)
        let number = socket(Int32(address.family), kind, 0)
        guard number >= 0 else { return false }
        let descriptor = OwnedDescriptor(adopting: number)
        return address.withSockaddr { connect(descriptor.number, $0, $1) } == 0
    }
}
