/// The result of a wait with a time-out.
@frozen
public enum DispatchTimeoutResult: Sendable {
    /// The awaited event happened in time.
    case success
    /// The time-out passed first.
    case timedOut
}
