// A proxy with a task for each client, and one for each direction.
import RingDispatch
import RingNetwork

/// Until the stream ends. `send` waits while the sink's peer does not read, and so nothing is
/// received meanwhile.
@Sendable func forward(from source: AsyncConnection, to sink: AsyncConnection) async throws {
    for try await bytes in source.inbound { try await sink.send(bytes) }
    sink.closeOutput()
}

/// Returns when both directions have ended. The first that fails ends the other one.
@Sendable func join(_ client: AsyncConnection, _ server: AsyncConnection) async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask { try await forward(from: client, to: server) }
        group.addTask { try await forward(from: server, to: client) }
        while try await group.next() != nil {}
    }
}

// snippet.hide
let target = try Listener(Endpoint("127.0.0.1:0"))
let targetEndpoint = target.endpoint
let echo = Task {
    await target.run { client in
        for try await bytes in client.inbound { try await client.send(bytes) }
    }
}
// snippet.show
let listener = try Listener(Endpoint("127.0.0.1:0"))
let endpoint = listener.endpoint
let proxy = Task {
    await listener.run { client in
        // An error resets both connections.
        try await Connector.shared.withConnection(to: targetEndpoint) { server in
            try await join(client, server)
        }
    }
}

// snippet.hide
let text = String(repeating: "over and back\n", count: 100_000)
let answer = try await Connector.shared.withConnection(to: endpoint) { server in
    async let sending: Void = server.send(text)
    let answer = try await server.receive(exactly: text.utf8.count, within: .seconds(60))
    try await sending
    server.closeOutput()
    let rest = try await server.receive(within: .seconds(60))
    precondition(rest == nil)
    return answer
}
precondition(answer == Array(text.utf8))
print("forwarded", answer.count, "bytes each way")
for listener in [listener, target] { listener.close() }
await proxy.value
await echo.value
