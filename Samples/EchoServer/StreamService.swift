import RingDispatch
import RingNetwork

/// Serves stream clients: TCP, TLS, or a Unix socket. Each is confined to its connection's queue.
struct StreamService: Sendable {
    let mode: Mode
    let ledger: Ledger

    /// For a listener's connection handler.
    func serve(_ connection: Connection) {
        let tally = Tally()
        ledger.opened(tally)
        connection.setReceiveHandler(receiver(tally))
        connection.setCloseHandler { [ledger] _, reason in ledger.closed(tally, reason) }
        connection.activate()
        if mode == .chargen { CharacterStream.begin(on: connection) }
    }

    /// A client that only closed its sending side still gets all of its echo: the connection closes
    /// itself when everything is sent.
    private func receiver(_ tally: Tally) -> (Connection, RawSpan) -> Void {
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

/// Sends the generator's characters as fast as the client takes them.
private final class CharacterStream: @unchecked Sendable {
    // Safety: used on the connection's queue only.
    private var generator = CharacterGenerator()

    /// As much is sent before the queue gets to other clients that share its thread.
    private static let bytesPerTurn = 64 * 1024

    /// On a connection that was activated.
    static func begin(on connection: Connection) {
        let stream = CharacterStream()
        connection.setWritableHandler { stream.fill($0) }
        // The client may send, and nobody waits until it has.
        connection.queue.async { stream.fill(connection) }
    }

    private func fill(_ connection: Connection) {
        var left = Self.bytesPerTurn
        while left > 0, connection.isWritable, connection.state == .active {
            generator.next(left) { bytes in
                connection.send(bytes)
                left -= bytes.byteCount
            }
        }
        // Where it is not writable, the writable handler goes on.
        guard left <= 0, connection.state == .active else { return }
        connection.queue.async { self.fill(connection) }
    }
}
