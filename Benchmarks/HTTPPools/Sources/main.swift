// An HTTP server on FlyingFox whose sockets wait in FlyingFox's own epoll pool or on the event
// loops: http-pools PORT own|own-no-delay|ring [--install]. Port 0 chooses a free one.
import FlyingFox
import FlyingSocks
import Foundation
import RingConcurrency
import RingHTTP

let arguments = CommandLine.arguments
guard arguments.count > 2, let port = UInt16(arguments[1]), let server = server(arguments[2]) else {
    print("usage: \(arguments[0]) PORT own|own-no-delay|ring [--install]")
    exit(2)
}
if arguments.contains("--install") {
    guard RingConcurrency.install() else { exit(1) }
}

func server(_ pool: String) -> HTTPServer? {
    guard let address: sockaddr_in = try? .inet(ip4: "127.0.0.1", port: port) else { return nil }
    return switch pool {
    case "own": HTTPServer(address: address, logger: .disabled)
    case "own-no-delay": HTTPServer(address: address, pool: WithoutDelay(), logger: .disabled)
    case "ring": HTTPServer(address: address, pool: .ring, logger: .disabled)
    default: nil
    }
}

await server.appendRoute("/hello") { _ in
    HTTPResponse(statusCode: .ok, body: Data("Hello".utf8))
}
await server.appendRoute("/echo", to: .webSocket(Echo()))
let running = Task { try await server.run() }
try await server.waitUntilListening()
if case .ip4(let address, let port) = await server.listeningAddress {
    print("listening on \(address):\(port)")
    fflush(nil)
}
try await running.value
