/// Where in its life a connection is.
public enum ConnectionState: Sendable, Hashable {
    /// Not activated.
    case setup
    /// Bytes go to and fro.
    case active
    /// To be closed once all that was sent is with the kernel.
    case closing
    /// The descriptor is closed.
    case closed
}

/// Why a connection is closed.
public enum CloseReason: Sendable, Hashable {
    /// ``Connection/close()``.
    case closed
    /// ``Connection/reset()``.
    case reset
    /// The peer sends nothing more, and all that was sent to it is with the kernel.
    case ended
    /// A call failed; ECONNRESET and EPIPE when the peer went without taking everything.
    case failed(SocketError)
}
