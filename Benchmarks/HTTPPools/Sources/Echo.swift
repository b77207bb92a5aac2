import FlyingFox

/// Sends each message of a WebSocket back.
struct Echo: WSMessageHandler {
    func makeMessages(for client: AsyncStream<WSMessage>) async throws -> AsyncStream<WSMessage> {
        client
    }
}
