import KeyValueStore
import RingDispatch
import RingNetwork

/// One client: its session, and the replies on their way. Confined to its connection's queue.
///
/// A command runs on the isolation queue of its key's shard, by `sync` from here: there is no hop,
/// and replies come in the order of the commands.
final class Client {
    private var session: Session
    private var reply = ReplyBuffer()
    /// Commands wait until the client has taken replies.
    private var isPaused = false

    private init(_ store: Store) { session = Session(store: store) }

    static func serve(_ connection: Connection, from store: Store) {
        let client = Client(store)
        connection.setReceiveHandler { connection, bytes in
            bytes.withUnsafeBytes { client.receive($0, connection) }
        }
        connection.setWritableHandler { client.goOn($0) }
        connection.activate()
    }

    private func receive(_ bytes: UnsafeRawBufferPointer, _ connection: Connection) {
        react(to: session.receive(bytes, into: &reply), connection)
    }

    private func goOn(_ connection: Connection) {
        guard isPaused else { return }
        isPaused = false
        react(to: session.resume(into: &reply), connection)
    }

    private func react(to outcome: Session.Outcome, _ connection: Connection) {
        var outcome = outcome
        while true {
            if !reply.isEmpty {
                connection.send(reply.bytes)
                reply.removeAll()
            }
            switch outcome {
            case .continue:
                return
            case .close:
                return connection.close()
            case .pause:
                guard connection.isWritable else {
                    isPaused = true
                    return
                }
                outcome = session.resume(into: &reply)
            }
        }
    }
}
