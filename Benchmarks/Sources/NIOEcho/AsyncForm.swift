import NIOCore
import NIOPosix

/// The echo with a task for each connection.
func echoInTasks(_ bootstrap: ServerBootstrap, port: Int) async throws {
    let server = try await bootstrap.bind(host: "127.0.0.1", port: port) { channel in
        channel.eventLoop.makeCompletedFuture {
            try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel)
        }
    }
    announce(server.channel)
    try await withThrowingDiscardingTaskGroup { group in
        try await server.executeThenClose { clients in
            for try await client in clients {
                group.addTask {
                    try? await client.executeThenClose { inbound, outbound in
                        for try await bytes in inbound { try await outbound.write(bytes) }
                    }
                }
            }
        }
    }
}
