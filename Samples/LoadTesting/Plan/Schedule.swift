/// When messages are sent.
public enum Schedule: Sendable, Hashable {
    /// Each connection sends its next message after an answer, so a slow server receives fewer.
    case closed
    /// A fixed number of messages per second over all connections, at equal intervals, however slow
    /// the server is.
    case constant(perSecond: Double)
    /// The same average rate at random intervals, like requests of independent users.
    case poisson(perSecond: Double)

    /// Nil for a closed loop.
    public var perSecond: Double? {
        switch self {
        case .closed: nil
        case .constant(let rate), .poisson(let rate): rate
        }
    }
}
