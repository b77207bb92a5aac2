// An echo server.
import Glibc
import RingDispatch
import RingNetwork

let listener = try Listener(Endpoint("127.0.0.1:0"))
listener.setConnectionHandler { connection in
    connection.setReceiveHandler { connection, bytes in connection.send(bytes) }
    connection.activate()
}
listener.activate()
print("listening on", listener.endpoint)
fflush(nil)  // Shows the line at once, in a pipe, too.
// snippet.hide
let endpoint = listener.endpoint
Task.detached {
    let echo = try? await Connector.shared.withConnection(to: endpoint) { server in
        try await server.send("hello")
        return try await server.receive(exactly: 5, within: .seconds(60))
    }
    precondition(echo == Array("hello".utf8))
    exit(0)
}
// snippet.show
dispatchMain()
