internal import CRing
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

/// Why getaddrinfo(3) gave no address.
package struct NameLookupError: Error, Equatable {
    /// One of EAI_NONAME and its kin.
    package let code: Int32
    /// The `errno` that stands behind EAI_SYSTEM.
    package let systemCode: Int32?

    package init(code: Int32, systemCode: Int32? = nil) {
        self.code = code
        self.systemCode = systemCode
    }

    package enum Reason: Sendable, Equatable {
        /// There is no such name, or it has no address.
        case notFound
        /// No name server answered; another try may help.
        case temporary
        /// The name servers refuse for good.
        case refused
        case outOfMemory
        /// A system call failed.
        case system
        case other
    }

    package var reason: Reason {
        switch code {
        case EAI_NONAME, NameLookupError.noData, NameLookupError.addressFamily: .notFound
        case EAI_AGAIN: .temporary
        case EAI_FAIL: .refused
        case EAI_MEMORY: .outOfMemory
        case EAI_SYSTEM: .system
        default: .other
        }
    }

    /// The C library's text.
    package var text: String {
        if let systemCode { return KernelError.text(of: systemCode) }
        return gai_strerror(code).map { String(cString: $0) } ?? "unknown error"
    }

    // GNU's, which Swift does not import.
    private static let noData: Int32 = -5
    private static let addressFamily: Int32 = -9
}

/// The codes of getaddrinfo(3), for modules that do not see the C library.
extension NameLookupError {
    package static var notFound: NameLookupError { NameLookupError(code: EAI_NONAME) }
    package static var temporary: NameLookupError { NameLookupError(code: EAI_AGAIN) }
}

extension NameLookupError {
    /// Whether the call failed because the process or the machine has no descriptor left.
    package var isShortOfDescriptors: Bool { systemCode == EMFILE || systemCode == ENFILE }
}
