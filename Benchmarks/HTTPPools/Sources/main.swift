// An HTTP server on FlyingFox whose sockets wait in FlyingFox's own epoll pool or on the event
// loops: http-pools PORT own|own-no-delay|ring [--install]
import FlyingFox
import FlyingSocks
import Foundation
import RingConcurrency
import RingHTTP

let arguments = CommandLine.arguments
guard arguments.count > 2, let port = UInt16(arguments[1]), let pool = pool(arguments[2]) else {
    print("usage: \(arguments[0]) PORT own|own-no-delay|ring [--install]")
    exit(2)
}
if arguments.contains("--install") {
    guard RingConcurrency.install() else { exit(1) }
}

func pool(_ name: String) -> (any AsyncSocketPool)? {
    switch name {
    case "own": HTTPServer.defaultPool()
    case "own-no-delay": WithoutDelay()
    case "ring": .ring
    default: nil
    }
}

let address: sockaddr_in = try .inet(ip4: "127.0.0.1", port: port)
let server = HTTPServer(
    config: .init(address: address, pool: pool, logger: .disabled))
await server.appendRoute("/hello") { _ in
    HTTPResponse(statusCode: .ok, body: Data("Hello".utf8))
}
let running = Task { try await server.run() }
try await server.waitUntilListening()
print("listening on 127.0.0.1:\(port)")
fflush(nil)
try await running.value
