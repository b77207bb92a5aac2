// An HTTP server. Needs the trait FlyingFox.
// snippet.hide
#if FlyingFox
import RingDispatch
import RingNetwork
// snippet.show
import FlyingFox
import FlyingSocks
import Foundation
import RingConcurrency
import RingHTTP

RingConcurrency.install()  // Handlers may block now.
let pool = RingSocketPool.ring
let server = HTTPServer(address: .inet(port: 0), pool: pool)
await server.appendRoute("GET /hello") { _ in
    HTTPResponse(statusCode: .ok, body: Data("hello\n".utf8))
}
// snippet.hide
let client = Task {
    try await server.waitUntilListening()
    guard case .ip4(_, let port) = await server.listeningAddress else {
        preconditionFailure("the server has no address")
    }
    let endpoint = try Endpoint("127.0.0.1:\(port)")
    let answer = try await Connector.shared.withConnection(to: endpoint) { server in
        try await server.send("GET /hello HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
        var answer: [UInt8] = []
        while let bytes = try await server.receive(within: .seconds(60)) { answer += bytes }
        return String(decoding: answer, as: UTF8.self)
    }
    print(answer)
    precondition(answer.hasPrefix("HTTP/1.1 200") && answer.hasSuffix("hello\n"))
    kill(getpid(), SIGTERM)
}
// snippet.show
// Returns when a signal has stopped the server.
try await server.run(on: pool, stoppingOn: SIGTERM, SIGINT)
// snippet.hide
try await client.value
#else
print("This program needs the trait FlyingFox.")
#endif
