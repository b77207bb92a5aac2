import RingDispatch
import RingNetwork

/// Serves TCP, TLS and Unix stream clients. Each connection's handlers run on its own queue.
struct StreamService: Sendable {
    let mode: Mode
    let ledger: Ledger

    /// The listener's connection handler.
    func serve(_ connection: Connection) {
        connection.setReceiveHandler(receiver(ledger.opened(connection)))
        connection.setCloseHandler { [ledger] _, reason in ledger.closed(reason) }
        connection.activate()
        if mode == .chargen { CharacterStream.begin(on: connection) }
    }

    /// A client that has shut down its sending side still receives all of its echo, then the
    /// connection closes itself.
    private func receiver(_ tally: Tally) -> @Sendable (Connection, RawSpan) -> Void {
        switch mode {
        case .echo:
            { connection, bytes in
                tally.count(bytes: bytes.byteCount)
                connection.send(bytes)
            }
        case .discard, .chargen:
            { _, bytes in tally.count(bytes: bytes.byteCount) }
        }
    }
}

/// Sends the generator's characters as fast as the client receives them.
private enum CharacterStream {
    /// Starts sending. The connection must be active.
    static func begin(on connection: Connection) {
        connection.setWritableHandler { fill($0) }
        // Chargen sends without a request.
        connection.queue.async { fill(connection) }
    }

    private static func fill(_ connection: Connection) {
        guard connection.state == .active, connection.isWritable else { return }
        connection.send(CharacterGenerator.block)
        // After the other connections of the event loop had their turn.
        if connection.isWritable { connection.queue.async { fill(connection) } }
    }
}
