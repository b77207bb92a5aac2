/// What was served. Each connection counts for itself, without atomics; the server adds a
/// connection's counts to its own when the connection has closed.
struct Statistics: Sendable {
    var connections = 0
    /// Connections that were turned away because there were no descriptors.
    var refused = 0
    /// Reads that brought bytes: with small requests, one a message.
    var messages = 0
    /// Bytes received, and echoed unless the peer left first.
    var bytes = 0

    mutating func add(_ other: Statistics) {
        connections += other.connections
        refused += other.refused
        messages += other.messages
        bytes += other.bytes
    }

    var summary: String {
        let served = "served \(connections) connections, \(messages) messages, \(bytes) bytes"
        return refused == 0 ? served : served + ", \(refused) connections refused"
    }
}
