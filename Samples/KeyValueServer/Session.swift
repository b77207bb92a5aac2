import RingDispatch
import RingNetwork

/// One client. It runs on the connection's queue, and so on the database's.
final class Session {
    let database: Database
    /// The number of the connection, from 1.
    let number: Int
    /// Of the protocol: RESP2 or RESP3. The client chooses it with HELLO.
    var version = 2
    var isClosing = false
    private let connection: Connection
    private var parser = RequestParser()
    /// Received bytes that are not executed yet.
    private var pending: [UInt8] = []
    private var replies: [UInt8] = []

    private init(_ connection: Connection, _ database: Database) {
        (self.connection, self.database) = (connection, database)
        database.sessions += 1
        database.openSessions += 1
        number = database.sessions
    }

    /// The listener's connection handler.
    static func serve(_ connection: Connection, _ database: Database) {
        let session = Session(connection, database)
        connection.setHandlers(
            ConnectionHandlers(
                receive: { _, bytes in bytes.withUnsafeBytes { session.receive($0) } },
                writable: { _ in session.executePending() },
                close: { _, _ in database.openSessions -= 1 }))
        connection.activate()
    }

    private func receive(_ bytes: UnsafeRawBufferPointer) {
        guard pending.isEmpty else {
            pending += bytes
            return executePending()
        }
        var input = bytes[...]
        execute(&input)
        pending += input
    }

    private func executePending() {
        let rest = pending.withUnsafeBytes { bytes in
            var input = bytes[...]
            execute(&input)
            return input.count
        }
        // A copy, so that the memory of a long command is freed.
        if rest < pending.count { pending = Array(pending.suffix(rest)) }
    }

    /// Executes the complete commands in `input`, while the client takes its replies.
    private func execute(_ input: inout RequestParser.Input) {
        do throws(Reply) {
            while connection.isWritable, !isClosing, let request = try parser.next(&input) {
                if request.isEmpty { continue }
                database.commands += 1
                Command.execute(request, self).write(to: &replies, version)
                if replies.count >= Limits.unsentReplyBytes { sendReplies() }
            }
        } catch {
            error.write(to: &replies, version)
            isClosing = true
        }
        if !replies.isEmpty { sendReplies() }
        if isClosing { connection.close() }
    }

    private func sendReplies() {
        connection.send(replies)
        replies.removeAll(keepingCapacity: replies.count <= Limits.keptReplyBytes)
    }
}
