/// Why an awaited receive has no bytes to give.
public enum ReceiveError: Error, Hashable {
    /// The connection is closed, or is being closed.
    case closed(CloseReason)
    /// The peer's stream has ended before as many bytes came as were asked for. Those that did come
    /// are there for the next receive.
    case ended(available: Int, wanted: Int)
}

extension ReceiveError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .closed(let reason): "the connection is closed: \(reason)"
        case .ended(let available, let wanted):
            "the peer's stream ended after \(available) of \(wanted) bytes; receive() gives them"
        }
    }
}
