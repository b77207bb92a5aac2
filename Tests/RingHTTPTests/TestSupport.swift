#if FlyingFox
import FlyingFox
import FlyingSocks
import Foundation
import Glibc
import RingHTTP
import TestSupport
import Testing

/// Two connected sockets on a pool.
func makePair(on pool: RingSocketPool) throws -> (AsyncSocket, AsyncSocket) {
    var pair: [Int32] = [-1, -1]
    try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &pair) == 0)
    let sockets = try pair.map { descriptor in
        try AsyncSocket(socket: Socket(file: .init(rawValue: descriptor)), pool: pool)
    }
    return (sockets[0], sockets[1])
}

/// A listening socket on a port of its own.
func makeListener(on pool: RingSocketPool) throws -> (AsyncSocket, port: UInt16) {
    let socket = try Socket(domain: AF_INET, type: .stream)
    try socket.bind(to: sockaddr_in.inet(ip4: "127.0.0.1", port: 0))
    try socket.listen()
    guard case .ip4(_, let port) = try socket.sockname() else {
        throw SocketError.unsupportedAddress
    }
    return (try AsyncSocket(socket: socket, pool: pool), port)
}

/// A task that waits for events of a socket, and whose wait has begun. The outcome is nil if the
/// events arrived.
func beginWait(
    for events: Socket.Events, of socket: AsyncSocket, on pool: RingSocketPool
) async -> Task<(any Error)?, Never> {
    let before = pool.waitCount
    let task = Task<(any Error)?, Never> {
        do {
            try await pool.suspendSocket(socket.socket, untilReadyFor: events)
            return nil
        } catch {
            return error
        }
    }
    while pool.waitCount == before { await Task.yield() }
    return task
}

/// Fills the socket's send buffer.
func fill(_ socket: AsyncSocket) {
    let bytes = [UInt8](repeating: 7, count: 65_536)
    while write(socket.socket.file.rawValue, bytes, bytes.count) > 0 {}
}

/// Empties the socket's receive buffer.
func drain(_ socket: AsyncSocket) {
    var bytes = [UInt8](repeating: 0, count: 65_536)
    while read(socket.socket.file.rawValue, &bytes, bytes.count) > 0 {}
}

/// Serves on a port of its own, and passes a client.
func withServer(
    _ handler: BodyReadingHTTPHandler, _ body: (TestClient) async throws -> Void
) async throws {
    let server = HTTPServer(
        config: .init(
            address: try sockaddr_in.inet(ip4: "127.0.0.1", port: 0), timeout: 660,
            sharedRequestReplaySize: 0, pool: .ring, logger: .disabled),
        handler: handler)
    let run = ownTask { try await server.run() }
    try await server.waitUntilListening()
    guard case .ip4(_, let port) = await server.listeningAddress else {
        throw SocketError.unsupportedAddress
    }
    try await body(try await TestClient(port: port))
    run.cancel()
    _ = await run.result
}

/// A client's connection to an HTTP server.
struct TestClient {
    let socket: AsyncSocket

    init(port: UInt16) async throws {
        socket = try await AsyncSocket.connected(
            to: sockaddr_in.inet(ip4: "127.0.0.1", port: port), pool: .ring)
    }

    func send(_ path: String, body: Data? = nil) async throws {
        let method = body == nil ? "GET" : "POST"
        let length = body.map { "Content-Length: \($0.count)\r\n" } ?? ""
        let head = "\(method) \(path) HTTP/1.1\r\nHost: test\r\n\(length)\r\n"
        try await socket.write(Data(head.utf8) + (body ?? Data()))
    }

    /// The status and the body of a response with a length; one to HEAD has no body.
    func receive(hasBody: Bool = true) async throws -> (status: Int, body: String) {
        var head: [UInt8] = []
        while !head.suffix(4).elementsEqual("\r\n\r\n".utf8) {
            head.append(try await socket.read())
        }
        let lines = String(decoding: head, as: UTF8.self).lowercased().split(separator: "\r\n")
        let status = try #require(lines.first?.split(separator: " ").dropFirst().first)
        let length = lines.first { $0.hasPrefix("content-length:") }
        let count = try #require(length?.split(separator: " ").last.flatMap { Int($0) })
        let body = hasBody ? try await socket.read(bytes: count) : []
        return (try #require(Int(status)), String(decoding: body, as: UTF8.self))
    }

    func get(_ path: String) async throws -> (status: Int, body: String) {
        try await send(path)
        return try await receive()
    }
}
#endif
