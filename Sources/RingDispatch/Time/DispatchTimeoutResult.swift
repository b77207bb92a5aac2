/// How a wait with a time-out ended.
@frozen
public enum DispatchTimeoutResult: Sendable {
    /// What was waited for happened in time.
    case success
    /// The time-out passed first.
    case timedOut
}
