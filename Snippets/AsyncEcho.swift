// An echo server with a task for each client.
import Glibc
import RingDispatch
import RingNetwork

let listener = try Listener(Endpoint("127.0.0.1:0"))
print("listening on", listener.endpoint)
fflush(nil)  // Shows the line at once, in a pipe, too.

// SIGTERM lets the clients finish what they do, for at most ten seconds.
let stop = Task {
    for await _ in DispatchSource.signals(SIGTERM) { break }
    return await listener.shutdown(deadline: .now() + .seconds(10))
}

// snippet.hide
let endpoint = listener.endpoint
let clients = Task {
    let echoes = try await Connector.shared.withConnection(to: endpoint) { server in
        try await server.send("one\ntwo\n")
        return try await server.receive(exactly: 8, within: .seconds(60))
    }
    precondition(echoes == Array("one\ntwo\n".utf8))
    kill(getpid(), SIGTERM)
}
// snippet.show
await listener.run { client in
    // The bytes are sent from where they were received: nothing is copied.
    while try await client.receive({ client.connection.send($0) }) {}
}
// The report may be complete a moment later: without this wait, the program would end first.
print("all clients are done:", await stop.value)

// snippet.hide
try await clients.value
let report = await listener.shutdown(deadline: .now())
precondition(report.aborted.isEmpty && report.unfinished == 0)
