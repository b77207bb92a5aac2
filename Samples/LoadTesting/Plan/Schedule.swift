/// When messages are sent.
public enum Schedule: Sendable, Hashable {
    /// Each connection sends its next message after an answer, so a slow server gets fewer.
    case closed
    /// A number of messages a second over all connections, at equal intervals, whatever the server
    /// does.
    case constant(perSecond: Double)
    /// The same on average, at random intervals like those of independent users.
    case poisson(perSecond: Double)

    /// Nil for a closed loop.
    public var perSecond: Double? {
        switch self {
        case .closed: nil
        case .constant(let rate), .poisson(let rate): rate
        }
    }
}
