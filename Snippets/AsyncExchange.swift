// A client that connects, asks with a time limit, and sees the answer in lines.
import RingDispatch
import RingNetwork

let listener = try Listener(Endpoint("127.0.0.1:0"))
let endpoint = listener.endpoint
let server = Task {
    await listener.run { client in
        for try await line in client.lines(maximumLength: 1000) where line != "silence" {
            try await client.send("you said:\n\(line)\n")
        }
    }
}

let answer = try await Connector.shared.withConnection(to: endpoint) { server in
    try await server.send("hello\n")
    var lines = server.lines().makeAsyncIterator()
    return [try await lines.next(), try await lines.next()].compactMap { $0 }
}
print(answer)

do {
    try await Connector.shared.withConnection(to: endpoint) { server in
        try await server.send("silence\n")
        _ = try await server.receive(within: .milliseconds(50))
    }
} catch ReceiveError.timedOut {
    // Thrown out of the scope, it has also reset the connection.
    print("no answer in time")
}

// Cancelling the task resets what is still connected.
server.cancel()
await server.value

// snippet.hide
precondition(answer == ["you said:", "hello"])
