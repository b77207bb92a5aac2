/// Why a task received nothing; or, if TLS failed, why `send` of ``AsyncConnection`` sent nothing.
public enum ReceiveError: Error, Hashable {
    /// The connection is closed or closing. If the reason is ``CloseReason/tlsFailed(_:)``, sends
    /// and the end of the scope throw this, too.
    case closed(CloseReason)
    /// The peer ended its stream before the requested number of bytes had arrived. The next
    /// `receive()` returns those that have.
    case ended(available: Int, wanted: Int)
    /// The time that the call allowed has passed. No bytes are lost: the next receive returns those
    /// that have arrived.
    case timedOut
}

extension CloseReason {
    /// The error of a task that sends, or returns.
    var taskError: any Error {
        if case .tlsFailed = self { return ReceiveError.closed(self) }
        return error
    }
}

extension ReceiveError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .closed(let reason): "the connection is closed: \(reason)"
        case .ended(available: 0, let wanted):
            "the peer ended its stream before a message of \(wanted) bytes"
        case .ended(let available, let wanted):
            "the peer's stream ended after \(available) of \(wanted) bytes; receive() returns them"
        case .timedOut: "nothing was received within the time that the call allowed"
        }
    }
}
