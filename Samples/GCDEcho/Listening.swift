// The part of a server that does not involve GCD: command line options and a listening socket.
import Glibc

/// A send to a closed connection fails with EPIPE instead of raising SIGPIPE.
let noSignal = Int32(MSG_NOSIGNAL)

private func fail(_ message: String, status: Int32 = 1) -> Never {
    _ = (message + "\n").withCString { write(2, $0, strlen($0)) }
    exit(status)
}

private func failWithErrno(_ call: String) -> Never {
    fail("\(call): \(String(cString: strerror(errno)))")
}

/// `--host 127.0.0.1 --port 7007`, or `--version`; anything else ends the program with status 64.
private func parseOptions() -> (host: String, port: UInt16) {
    let usage = "usage: GCDEcho [--host IPv4-address] [--port 0...65535], or GCDEcho --version"
    var host = "127.0.0.1"
    var port: UInt16 = 7007
    var arguments = CommandLine.arguments.dropFirst()
    while let name = arguments.popFirst() {
        switch (name, arguments.popFirst()) {
        case ("--version", nil):
            print("GCDEcho 0.1-dev")
            exit(0)
        case ("--host", let value?): host = value
        case ("--port", let value?):
            guard let number = UInt16(value) else { fail(usage, status: 64) }
            port = number
        default: fail(usage, status: 64)
        }
    }
    return (host, port)
}

/// Process 1 of a container receives only signals that it handles, and becomes the parent of
/// orphaned processes. Ignoring SIGCHLD makes the kernel reap those.
private func prepareFirstProcess() {
    guard getpid() == 1 else { return }
    signal(SIGCHLD, SIG_IGN)
    while waitpid(-1, nil, WNOHANG) > 0 {}  // children that have already ended
    for number in [SIGINT, SIGTERM] { signal(number) { _exit(128 + $0) } }
}

/// Opens the listening socket; returns it and its address.
func listen() -> (descriptor: Int32, place: String) {
    let (host, port) = parseOptions()
    signal(SIGPIPE, SIG_IGN)
    prepareFirstProcess()
    let type = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
    let listener = socket(AF_INET, type, 0)
    if listener < 0 { failWithErrno("socket") }
    var on: Int32 = 1
    setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, socklen_t(MemoryLayout<Int32>.size))

    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    guard inet_pton(AF_INET, host, &address.sin_addr) == 1 else {
        fail("--host \(host): not an IPv4 address", status: 64)
    }
    // Safety: `address` outlives each call, which also gets its size.
    withUnsafeMutablePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
            var size = socklen_t(MemoryLayout<sockaddr_in>.size)
            if bind(listener, generic, size) != 0 { failWithErrno("bind to \(host):\(port)") }
            if listen(listener, SOMAXCONN) != 0 { failWithErrno("listen") }
            getsockname(listener, generic, &size)
        }
    }
    return (listener, "\(host):\(UInt16(bigEndian: address.sin_port))")
}

/// The next pending client, as a non-blocking socket with TCP_NODELAY; nil: see errno.
func acceptConnection(_ listener: Int32) -> Int32? {
    var descriptor: Int32
    repeat {
        descriptor = accept(listener, nil, nil)  // accept4(2) is not in the Glibc module
    } while descriptor < 0 && (errno == EINTR || errno == ECONNABORTED)
    guard descriptor >= 0 else { return nil }
    _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    var on: Int32 = 1
    let size = socklen_t(MemoryLayout<Int32>.size)
    setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &on, size)
    return descriptor
}
