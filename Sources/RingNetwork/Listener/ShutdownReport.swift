/// How a listener's connections came to their end: see ``Listener/shutdown(deadline:completion:)``.
public struct ShutdownReport: Sendable, Hashable {
    /// A connection that was aborted at the deadline.
    public struct AbortedConnection: Sendable, Hashable {
        /// The peer's; nil for a Unix socket without a name, as clients have.
        public let endpoint: Endpoint?
        /// Bytes that were sent and that the kernel had not taken.
        public let unsentBytes: Int
        /// Bytes that the kernel had, and that the peer had not confirmed. They are lost, too.
        public let unconfirmedBytes: Int
    }

    /// Connections that were open when the shutdown began and closed by themselves.
    public internal(set) var drained = 0
    /// Connections that were still open at the deadline.
    public internal(set) var aborted: [AbortedConnection] = []
    /// Connections that could not be aborted, because one of their handlers had not returned a
    /// second after the deadline, or because they were never activated. The former are aborted as
    /// soon as the handler returns.
    public internal(set) var unfinished = 0

    /// Nothing was open.
    public init() {}
}
