/// Why an awaited receive returned no bytes.
public enum ReceiveError: Error, Hashable {
    /// The connection is closed or closing.
    case closed(CloseReason)
    /// The peer ended its stream before the requested number of bytes had arrived. The next
    /// `receive()` returns those that have.
    case ended(available: Int, wanted: Int)
}

extension ReceiveError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .closed(let reason): "the connection is closed: \(reason)"
        case .ended(let available, let wanted):
            "the peer's stream ended after \(available) of \(wanted) bytes; receive() returns them"
        }
    }
}
