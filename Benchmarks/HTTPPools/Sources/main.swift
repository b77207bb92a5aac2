// An HTTP server on FlyingFox whose sockets wait in FlyingFox's own epoll pool or on the event
// loops: http-pools PORT own|own-no-delay|ring [--install]
import FlyingFox
import FlyingSocks
import Foundation
import RingConcurrency
import RingHTTP

let arguments = CommandLine.arguments
let pools: [String: any AsyncSocketPool] = [
    "own": HTTPServer.defaultPool(), "own-no-delay": WithoutDelay(), "ring": .ring,
]
guard arguments.count > 2, let port = UInt16(arguments[1]), let pool = pools[arguments[2]] else {
    print("usage: \(arguments[0]) PORT own|own-no-delay|ring [--install]")
    exit(2)
}
if arguments.contains("--install") { RingConcurrency.install() }

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
