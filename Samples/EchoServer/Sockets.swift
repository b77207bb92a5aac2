// The socket calls, and the sample's only raw memory. Everything above this file is plain Swift.
import Glibc

/// What a receive or send came to.
enum Transfer {
    case bytes(Int)
    case wouldBlock
    case endOfFile
    case failed
}

/// What accept(2) came to; the strings are the system's words for the error.
enum AcceptResult {
    /// A descriptor: non-blocking, close-on-exec, without Nagle's delay.
    case accepted(Int32)
    case nobodyWaits
    /// The process or the system has no descriptor left.
    case noDescriptors(String)
    /// The system is short of something else; accepting may work later.
    case failed(String)
}

/// A connection's memory, both for what was received and for what is to be sent.
final class SocketBuffer {
    private let bytes: UnsafeMutableRawBufferPointer

    init(capacity: Int) {
        bytes = .allocate(byteCount: capacity, alignment: 64)
    }

    deinit {
        bytes.deallocate()
    }

    /// Fills the buffer from its start: recv(2).
    func receive(from descriptor: Int32) -> Transfer {
        while true {
            // Safety: the kernel writes at most `bytes.count` bytes, before the call returns.
            let count = recv(descriptor, bytes.baseAddress, bytes.count, 0)
            if count > 0 { return .bytes(count) }
            if count == 0 { return .endOfFile }
            if errno != EINTR { return errno == EAGAIN ? .wouldBlock : .failed }
        }
    }

    /// Sends a part of the buffer: send(2).
    func send(_ part: Range<Int>, to descriptor: Int32) -> Transfer {
        // Safety: rebasing checks `part` against the buffer's bounds.
        let part = UnsafeRawBufferPointer(rebasing: bytes[part])
        while true {
            let count = Glibc.send(descriptor, part.baseAddress, part.count, Int32(MSG_NOSIGNAL))
            if count >= 0 { return .bytes(count) }
            if errno != EINTR { return errno == EAGAIN ? .wouldBlock : .failed }
        }
    }
}

/// A descriptor kept back, to be spent on refusing a client when there are no others.
struct ReserveDescriptor {
    private var descriptor: Int32

    init() throws {
        descriptor = Self.openOne()
        if descriptor < 0 {
            throw Failure("cannot open /dev/null (\(errnoText())): raise the limit with ulimit -n")
        }
    }

    /// Accepts one client and closes its connection; false when nobody waits, or when even the
    /// reserve is lost.
    mutating func spend(toRefuseOn listener: Int32) -> Bool {
        if descriptor >= 0 { closeDescriptor(descriptor) }
        let client = accept(listener, nil, nil)
        if client >= 0 { closeDescriptor(client) }
        descriptor = Self.openOne()
        return client >= 0
    }

    /// True when another part of the process took the descriptor; `spend` tries to get it back.
    var isLost: Bool { descriptor < 0 }

    func close() {
        if descriptor >= 0 { closeDescriptor(descriptor) }
    }

    private static func openOne() -> Int32 {
        open("/dev/null", O_RDONLY | O_CLOEXEC)
    }
}

func closeDescriptor(_ descriptor: Int32) {
    _ = close(descriptor)
}

func acceptConnection(_ listener: Int32) -> AcceptResult {
    while true {
        // accept4(2) would save the two fcntl(2), but Swift's Glibc module lacks it.
        let descriptor = accept(listener, nil, nil)
        if descriptor >= 0 {
            _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
            _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
            setOption(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY)
            return .accepted(descriptor)
        }
        switch errno {
        case EAGAIN: return .nobodyWaits
        case EMFILE, ENFILE: return .noDescriptors(errnoText())
        case ENOBUFS, ENOMEM: return .failed(errnoText())
        // The client left, or the network reported an error of its own: accept(2) says try again.
        case EINTR, ECONNABORTED, EPROTO, ENETDOWN, ENOPROTOOPT, EHOSTDOWN, ENONET, EHOSTUNREACH,
            EOPNOTSUPP, ENETUNREACH, EPERM:
            continue
        default: return .failed(errnoText())
        }
    }
}

/// A non-blocking socket that listens on the first address of `host` that can be had. A name's IPv4
/// addresses come first, since that is where clients of "localhost" look. Port 0 takes a free one.
func openListeningSocket(host: String, port: UInt16) throws -> Int32 {
    var hints = addrinfo()
    hints.ai_family = AF_UNSPEC
    hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    hints.ai_flags = AI_PASSIVE
    var list: UnsafeMutablePointer<addrinfo>?
    let isBracketed = host.hasPrefix("[") && host.hasSuffix("]")
    let name = isBracketed ? String(host.dropFirst().dropLast()) : host
    let status = getaddrinfo(name, String(port), &hints, &list)
    guard status == 0, let list else {
        let reason = status == EAI_SYSTEM ? errnoText() : String(cString: gai_strerror(status))
        throw Failure(
            "--host \(host): \(reason). Give an address or name of this machine: 127.0.0.1, "
                + "[::1], localhost, or 0.0.0.0 for all")
    }
    defer { freeaddrinfo(list) }

    // Safety: the list's nodes live until freeaddrinfo, which runs after the last use.
    let nodes = sequence(first: list, next: { $0.pointee.ai_next })
    let byFamily = nodes.filter { $0.pointee.ai_family == AF_INET }
        + nodes.filter { $0.pointee.ai_family != AF_INET }
    var failure: (call: String, code: Int32) = ("socket", EAFNOSUPPORT)
    for node in byFamily {
        let info = node.pointee
        let flags = Int32(SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
        let descriptor = socket(info.ai_family, info.ai_socktype | flags, info.ai_protocol)
        guard descriptor >= 0 else {
            failure = ("socket", errno)
            continue
        }
        // A restarted server need not wait for its old connections' TIME_WAIT.
        setOption(descriptor, SOL_SOCKET, SO_REUSEADDR)
        if bind(descriptor, info.ai_addr, info.ai_addrlen) != 0 {
            failure = ("bind", errno)
        } else if listen(descriptor, SOMAXCONN) != 0 {
            failure = ("listen", errno)
        } else {
            return descriptor
        }
        closeDescriptor(descriptor)
    }
    throw listenFailure(call: failure.call, code: failure.code, host: host, port: port)
}

private func listenFailure(call: String, code: Int32, host: String, port: UInt16) -> Failure {
    let remedy =
        switch code {
        case EADDRINUSE:
            "the port is in use: stop the program that has it (ss -ltnp shows it), or give another "
                + "--port (0 takes a free one)"
        case EACCES, EPERM:
            "not permitted: ports below 1024 need root or CAP_NET_BIND_SERVICE; give a --port above"
        case EADDRNOTAVAIL:
            "no interface of this machine has that address: try 127.0.0.1, or 0.0.0.0 for all"
        case EMFILE, ENFILE:
            "no descriptors left: raise the limit with ulimit -n"
        case EAFNOSUPPORT:
            "this machine lacks that address family: try 127.0.0.1"
        default:
            "the system refused"
        }
    let reason = String(cString: strerror(code))
    return Failure("cannot listen on \(host):\(port): \(remedy) (\(call): \(reason))")
}

/// `127.0.0.1:7007` or `[::1]:7007`.
func localAddress(of descriptor: Int32) -> String {
    var storage = sockaddr_storage()
    var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
    // Safety: sockaddr_storage is as large and as aligned as any socket address.
    return withUnsafeMutablePointer(to: &storage) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
            var host = [CChar](repeating: 0, count: Int(NI_MAXHOST))
            var port = [CChar](repeating: 0, count: Int(NI_MAXSERV))
            guard getsockname(descriptor, address, &size) == 0,
                getnameinfo(
                    address, size, &host, socklen_t(host.count), &port, socklen_t(port.count),
                    NI_NUMERICHOST | NI_NUMERICSERV) == 0
            else { return "an unknown address" }
            let name = text(host)
            return name.contains(":") ? "[\(name)]:\(text(port))" : "\(name):\(text(port))"
        }
    }
}

/// A C string in an array, without its terminator.
private func text(_ characters: [CChar]) -> String {
    String(decoding: characters.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
}

private func setOption(_ descriptor: Int32, _ level: Int32, _ option: Int32) {
    var on: Int32 = 1
    setsockopt(descriptor, level, option, &on, socklen_t(MemoryLayout<Int32>.size))
}
