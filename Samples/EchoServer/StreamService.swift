import RingDispatch
import RingNetwork
import SampleSupport

/// Serves TCP, TLS and Unix stream clients. Each connection's handlers run on its own queue.
struct StreamService: Sendable {
    let mode: Mode
    let ends: Locked<Ends>

    /// The listener's connection handler. A client that has shut down its sending side still
    /// receives all of its echo, then the connection closes itself.
    func serve(_ connection: Connection) {
        connection.setReceiveHandler { [mode] connection, bytes in
            if mode == .echo { connection.send(bytes) }
        }
        connection.setCloseHandler { [ends] _, reason in ends.withLock { $0.count(reason) } }
        connection.activate()
        if mode == .chargen { CharacterStream.begin(on: connection) }
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
