internal import LinuxPlatform

/// Why a connection is closed.
public enum CloseReason: Sendable, Hashable {
    /// ``Connection/close()``.
    case closed
    /// ``Connection/abort()``.
    case aborted
    /// The peer sends nothing more, and all that was sent to it is with the kernel.
    case ended
    /// A call failed; ECONNRESET and EPIPE when the peer went without taking everything.
    indirect case failed(SocketError)
    /// One of ``ConnectionTimeouts`` was up.
    case timedOut(ConnectionTimeout)
    /// TLS failed: the peer was not accepted, did not accept this side, broke the protocol, or was
    /// cut off.
    indirect case tlsFailed(TLSFailure)
}

extension CloseReason {
    /// What a send is told that was not finished.
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
