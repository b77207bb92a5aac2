internal import CLinux
internal import Glibc

/// A socket address in the kernel's form: a `sockaddr_storage` and a length.
///
/// See ip(7), ipv6(7) and unix(7).
package struct SocketAddress: Sendable {
    private var storage = sockaddr_storage()
    /// The number of valid bytes.
    package private(set) var length = 0

    /// The maximum length of an address, in bytes.
    package static let capacity = MemoryLayout<sockaddr_storage>.size

    /// An empty address, for the kernel to fill in.
    package init() {}

    /// Copies an address from elsewhere; bytes beyond `capacity` are dropped.
    package init(copying bytes: UnsafeRawBufferPointer) {
        length = min(bytes.count, SocketAddress.capacity)
        let kept = UnsafeRawBufferPointer(rebasing: bytes[..<length])
        withUnsafeMutableBytes(of: &storage) { $0.copyMemory(from: kept) }
    }

    /// The content of an address.
    package enum Parts: Sendable, Equatable {
        case ipv4(address: UInt32, port: UInt16)
        /// - Parameter scope: the interface's index; 0 for none.
        case ipv6(address: UInt128, port: UInt16, scope: UInt32)
        /// The path, without the terminating NUL.
        case unixPath([UInt8])
        /// The name, without the leading NUL.
        case unixAbstract([UInt8])
        /// A Unix socket that was never bound.
        case unixUnnamed
        /// Another family, or an address that is too short.
        case other(family: UInt16)
    }

    /// Calls `body` with the valid bytes.
    package func withBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        withUnsafeBytes(of: storage) { body(UnsafeRawBufferPointer(rebasing: $0[..<length])) }
    }

    /// Passes the storage to a call that fills it in, such as accept(2), getsockname(2) or
    /// recvfrom(2).
    mutating func fill<Result>(
        _ call: (UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> Result
    ) -> Result {
        var written = socklen_t(SocketAddress.capacity)
        let result = withUnsafeMutableBytes(of: &storage) { bytes in
            // Safety: a sockaddr_storage can hold any address and is aligned for it.
            call(bytes.baseAddress!.assumingMemoryBound(to: sockaddr.self), &written)
        }
        // The kernel reports the full length even if it truncated the address.
        length = min(Int(written), SocketAddress.capacity)
        return result
    }

    /// Passes the address to a call such as bind(2), connect(2) or sendto(2).
    func withSockaddr<Result>(
        _ call: (UnsafePointer<sockaddr>, socklen_t) -> Result
    ) -> Result {
        withUnsafeBytes(of: storage) { bytes in
            // Safety: as in `fill`.
            call(
                bytes.baseAddress!.assumingMemoryBound(to: sockaddr.self), socklen_t(length))
        }
    }
}

extension SocketAddress {
    package init(ipv4 address: UInt32, port: UInt16) {
        var value = sockaddr_in()
        value.sin_family = sa_family_t(AF_INET)
        value.sin_port = port.bigEndian
        value.sin_addr.s_addr = address.bigEndian
        self.init(value)
    }

    /// - Parameter scope: the interface's index, for link-local addresses; 0 for none.
    package init(ipv6 address: UInt128, port: UInt16, scope: UInt32 = 0) {
        var value = sockaddr_in6()
        value.sin6_family = sa_family_t(AF_INET6)
        value.sin6_port = port.bigEndian
        withUnsafeMutableBytes(of: &value.sin6_addr) { bytes in
            bytes.storeBytes(of: address.bigEndian, as: UInt128.self)
        }
        value.sin6_scope_id = scope
        self.init(value)
    }

    /// The longest path, without its terminating NUL, and the longest abstract name, without its
    /// leading NUL.
    package static let longestUnixName = MemoryLayout.size(ofValue: sockaddr_un().sun_path) - 1

    /// Nil for a path that is empty, too long, or contains a NUL.
    package init?(unixPath path: some Collection<UInt8>) {
        guard !path.isEmpty, !path.contains(0) else { return nil }
        // The length includes the NUL; see unix(7).
        self.init(unixName: path, after: 0, endBytes: 1)
    }

    /// Nil for a name that is too long. An abstract name may contain any bytes.
    package init?(unixAbstract name: some Collection<UInt8>) {
        // No NUL at the end: it would be part of the name.
        self.init(unixName: name, after: 1, endBytes: 0)
    }

    private init?(unixName name: some Collection<UInt8>, after start: Int, endBytes: Int) {
        guard name.count <= SocketAddress.longestUnixName else { return nil }
        var value = sockaddr_un()
        value.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &value.sun_path) { bytes in
            for (index, byte) in name.enumerated() { bytes[start + index] = byte }
        }
        self.init(value)
        length = SocketAddress.unixNameOffset + start + name.count + endBytes
    }

    /// - Parameter value: a `sockaddr_in`, `sockaddr_in6` or `sockaddr_un`.
    private init<Value>(_ value: Value) {
        self = withUnsafeBytes(of: value) { SocketAddress(copying: $0) }
    }

    private static let unixNameOffset = MemoryLayout<sa_family_t>.size
}

extension SocketAddress {
    /// The address family, such as AF_INET; AF_UNSPEC (0) for an empty address.
    package var family: UInt16 {
        length < MemoryLayout<sa_family_t>.size ? UInt16(AF_UNSPEC) : storage.ss_family
    }

    package var isUnix: Bool { Int32(family) == AF_UNIX }

    /// Whether the address has anything beyond its family; an unbound Unix socket's has not.
    package var isNamed: Bool { length > MemoryLayout<sa_family_t>.size }

    package var parts: Parts {
        withBytes { bytes in
            // Safety: a sockaddr_storage is aligned for each of these types.
            switch Int32(family) {
            case AF_INET where bytes.count >= MemoryLayout<sockaddr_in>.size:
                let value = bytes.load(as: sockaddr_in.self)
                return .ipv4(
                    address: UInt32(bigEndian: value.sin_addr.s_addr),
                    port: UInt16(bigEndian: value.sin_port))
            case AF_INET6 where bytes.count >= MemoryLayout<sockaddr_in6>.size:
                let value = bytes.load(as: sockaddr_in6.self)
                let address = withUnsafeBytes(of: value.sin6_addr) {
                    UInt128(bigEndian: $0.loadUnaligned(as: UInt128.self))
                }
                return .ipv6(
                    address: address, port: UInt16(bigEndian: value.sin6_port),
                    scope: value.sin6_scope_id)
            case AF_UNIX:
                return SocketAddress.unixParts(bytes.dropFirst(SocketAddress.unixNameOffset))
            default:
                return .other(family: family)
            }
        }
    }

    private static func unixParts(_ name: Slice<UnsafeRawBufferPointer>) -> Parts {
        guard let first = name.first else { return .unixUnnamed }
        if first == 0 { return .unixAbstract(Array(name.dropFirst())) }
        // A path that fills sun_path has no NUL.
        return .unixPath(Array(name.prefix { $0 != 0 }))
    }
}

extension SocketAddress: Hashable {
    package static func == (one: SocketAddress, other: SocketAddress) -> Bool {
        one.withBytes { bytes in other.withBytes { Memory.areEqual(bytes, $0) } }
    }

    package func hash(into hasher: inout Hasher) {
        withBytes { hasher.combine(bytes: $0) }
    }
}
