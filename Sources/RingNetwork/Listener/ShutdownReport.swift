/// The result of a shutdown; see ``Listener/shutdown(deadline:completion:)``.
public struct ShutdownReport: Sendable, Hashable {
    /// A connection that was aborted at the deadline.
    public struct AbortedConnection: Sendable, Hashable {
        /// The peer's endpoint; nil for an unnamed Unix socket, as clients have.
        public let endpoint: Endpoint?
        /// Sent bytes that the kernel had not taken.
        public let unsentBytes: Int
        /// Bytes that the kernel had taken and the peer had not acknowledged. They are lost, too.
        public let unconfirmedBytes: Int
    }

    /// Connections that were open at the start and closed before the deadline.
    public internal(set) var drained = 0
    /// Connections that were aborted at the deadline.
    public internal(set) var aborted: [AbortedConnection] = []
    /// Connections that could not be aborted: either a handler was still running one second after
    /// the deadline (it is aborted when the handler returns), or the connection was never
    /// activated.
    public internal(set) var unfinished = 0

    /// A report without connections.
    public init() {}
}
