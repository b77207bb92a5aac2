/// The security layer (TLS) between a connection and its socket, and what waits for it. Belongs to
/// the connection's queue.
final class ConnectionSecurity {
    let layer: SecurityLayer
    /// Sent bytes that are not encrypted yet.
    var unencrypted = OutgoingQueue()
    /// The layer has sent close_notify.
    var isCloseNotified = false
    /// The error that kept the kernel from taking the program's bytes.
    var sendError: SocketError?

    init(_ layer: SecurityLayer) { self.layer = layer }
}
