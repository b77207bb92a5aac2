import Glibc

/// The server behind a proxy: each connection is a `Client` of the test.
struct Upstream {
    private let listener: LoopbackSocket

    /// - Parameter backlog: 0: one connection can wait to be accepted, or two.
    init(backlog: Int32 = SOMAXCONN) throws {
        listener = try .bound()
        guard listen(listener.descriptor, backlog) == 0 else { throw Trouble(call: "listen") }
    }

    var endpoint: String { "127.0.0.1:\(listener.port)" }

    func accept(until deadline: Deadline = Deadline()) throws -> Client {
        guard listener.poll(Int32(POLLIN), until: deadline) != 0 else {
            throw Trouble("the proxy does not connect")
        }
        let descriptor = Glibc.accept(listener.descriptor, nil, nil)
        guard descriptor >= 0, fcntl(descriptor, F_SETFL, O_NONBLOCK) == 0 else {
            throw Trouble(call: "accept")
        }
        return Client(adopting: LoopbackSocket(adopting: descriptor))
    }

    /// Begins connections until the kernel drops requests.
    func fill() throws -> [LoopbackSocket] {
        let fillers = try (0..<4).map { _ in
            let filler = try LoopbackSocket()
            _ = filler.withAddress(port: listener.port) { connect(filler.descriptor, $0, $1) }
            return filler
        }
        // Until one connects, another might take the place.
        guard listener.poll(Int32(POLLIN), until: Deadline()) != 0 else {
            throw Trouble("nothing connects")
        }
        return fillers
    }
}

/// A client, the proxy's connection for it, and the proxy.
struct ProxiedPair {
    let proxy: EchoProcess
    let client: Client
    let server: Client
    /// When the client began to connect, as by `Deadline.now`.
    let start: UInt64
}

/// Starts a proxy with a server that the test is itself, and connects a client.
func withProxiedPair<Result>(
    _ setting: Setting, arguments: [String] = [], _ body: (ProxiedPair) throws -> Result
) throws -> Result {
    let upstream = try Upstream()
    let arguments = ["--to", upstream.endpoint] + arguments
    return try withServer(.proxy, setting, arguments: arguments) { proxy in
        let start = Deadline.now()
        let client = try proxy.connect()
        let server = try upstream.accept()
        return try body(ProxiedPair(proxy: proxy, client: client, server: server, start: start))
    }
}
