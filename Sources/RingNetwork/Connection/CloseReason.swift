internal import LinuxPlatform

/// Why a connection is closed.
public enum CloseReason: Sendable, Hashable {
    /// ``Connection/close()``.
    case closed
    /// ``Connection/abort()``.
    case aborted
    /// The peer ended its stream, and the kernel has taken every byte sent to it.
    case ended
    /// A system call failed. ECONNRESET and EPIPE mean that the peer closed before it read
    /// everything.
    indirect case failed(SocketError)
    /// One of ``ConnectionTimeouts`` expired.
    case timedOut(ConnectionTimeout)
    /// TLS failed: one side rejected the other, the peer broke the protocol, or the stream was
    /// truncated.
    indirect case tlsFailed(TLSFailure)
}

extension CloseReason: CustomStringConvertible {
    /// The cause, in one line, with the remedy if there is one.
    public var description: String {
        switch self {
        case .closed: "this side closed it"
        case .aborted: "this side aborted it"
        case .ended: "the peer ended its stream"
        case .failed(let error): error.description
        case .timedOut(let timeout): timeout.description
        case .tlsFailed(let failure): failure.description
        }
    }
}

extension CloseReason {
    /// The error that the completions of unfinished sends receive.
    var error: SocketError {
        switch self {
        case .failed(let error): error
        case .timedOut: SocketError("send", ErrorCode.timedOut)
        case .tlsFailed(let failure):
            SocketError("send", ErrorCode.protocolError, remedy: failure.description)
        case .closed, .aborted, .ended: SocketError("send", ErrorCode.brokenPipe)
        }
    }
}
