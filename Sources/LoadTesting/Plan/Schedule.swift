/// When messages are sent.
public enum Schedule: Sendable, Hashable {
    /// Each connection sends its next message when an answer has come: a slow server is asked less.
    case closed
    /// So many messages each second over all connections, at equal distances, whatever the server
    /// does.
    case constant(perSecond: Double)
    /// The same on average, at the random distances of independent users.
    case poisson(perSecond: Double)

    /// Nil: there is none, the loop is closed.
    public var perSecond: Double? {
        switch self {
        case .closed: nil
        case .constant(let rate), .poisson(let rate): rate
        }
    }
}
