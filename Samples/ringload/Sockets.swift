// Addresses and connections: the socket calls that are no part of the message path.
import Glibc
import SampleSupport

/// A resolved address, ready for connect(2).
struct SocketAddress: Sendable {
    fileprivate var storage = sockaddr_storage()
    fileprivate var size: socklen_t = 0

    /// Calls `body` with the address as the system's functions want it.
    fileprivate func withPointer<Result>(
        _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result
    ) -> Result {
        // Safety: sockaddr_storage is as large and as aligned as any socket address.
        withUnsafePointer(to: storage) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, size) }
        }
    }
}

/// The address of `target` that answers; with several (as for "localhost") each is tried once.
func reachableAddress(of target: Target) throws -> SocketAddress {
    let addresses = try resolve(target)
    guard addresses.count > 1 else { return addresses[0] }
    var lastError: Int32 = 0
    for address in addresses {
        let descriptor = newSocket(for: address, flags: 0)
        guard descriptor >= 0 else { continue }
        defer { closeDescriptor(descriptor) }
        if address.withPointer({ connect(descriptor, $0, $1) }) == 0 { return address }
        lastError = errno
    }
    throw connectFailure(lastError, target: target)
}

private func resolve(_ target: Target) throws -> [SocketAddress] {
    var hints = addrinfo()
    hints.ai_family = AF_UNSPEC
    hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    var list: UnsafeMutablePointer<addrinfo>?
    let status = getaddrinfo(target.host, String(target.port), &hints, &list)
    guard status == 0, let list else {
        let reason = status == EAI_SYSTEM ? errnoText(errno) : String(cString: gai_strerror(status))
        throw Failure("cannot find the address of \(target.host): \(reason)")
    }
    defer { freeaddrinfo(list) }
    // Safety: the list's nodes live until freeaddrinfo, and each address is copied whole.
    return sequence(first: list, next: { $0.pointee.ai_next }).map { node in
        var address = SocketAddress()
        address.size = node.pointee.ai_addrlen
        memcpy(&address.storage, node.pointee.ai_addr, Int(node.pointee.ai_addrlen))
        return address
    }
}

private func newSocket(for address: SocketAddress, flags: Int32) -> Int32 {
    let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue) | flags
    return socket(Int32(address.storage.ss_family), type, 0)
}

/// A socket whose connection is under way, without Nagle's delay; or an errno.
func startConnecting(to address: SocketAddress) -> Result<Int32, SystemError> {
    let descriptor = newSocket(for: address, flags: Int32(SOCK_NONBLOCK.rawValue))
    guard descriptor >= 0 else { return .failure(SystemError(code: errno)) }
    var on: Int32 = 1
    let size = socklen_t(MemoryLayout<Int32>.size)
    setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &on, size)
    if address.withPointer({ connect(descriptor, $0, $1) }) != 0, errno != EINPROGRESS {
        let error = SystemError(code: errno)
        closeDescriptor(descriptor)
        return .failure(error)
    }
    return .success(descriptor)
}

/// The outcome of a connection attempt that is over; nil when it worked.
func connectError(of descriptor: Int32) -> SystemError? {
    var code: Int32 = 0
    var size = socklen_t(MemoryLayout<Int32>.size)
    guard getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &code, &size) == 0 else {
        return SystemError(code: errno)
    }
    return code == 0 ? nil : SystemError(code: code)
}

func closeDescriptor(_ descriptor: Int32) {
    _ = close(descriptor)
}

/// An errno.
struct SystemError: Error, CustomStringConvertible {
    let code: Int32

    var description: String { errnoText(code) }
}

/// No answer, not even a refusal.
func connectTimeoutFailure(target: Target) -> Failure {
    connectFailure(ETIMEDOUT, target: target)
}

/// Why the server could not be reached, and what to do.
func connectFailure(_ code: Int32, target: Target) -> Failure {
    let place = target.hostAndPort
    return switch code {
    case ECONNREFUSED:
        Failure("connection refused: is the server running on \(place)?")
    case ETIMEDOUT:
        Failure("no answer from \(place): is the address right, and does a firewall drop it?")
    case ENETUNREACH, EHOSTUNREACH:
        Failure("no route to \(place): is the address right?")
    case ECONNRESET, EPIPE:
        Failure("\(place) closed a new connection: has the server descriptors and memory left?")
    case EADDRNOTAVAIL:
        Failure(
            "no local port left towards \(place): use fewer --connections, or widen "
                + "net.ipv4.ip_local_port_range")
    case EMFILE, ENFILE:
        Failure("no descriptors left: raise the limit with ulimit -n, or use fewer --connections")
    default:
        Failure("cannot connect to \(place): \(errnoText(code))")
    }
}
