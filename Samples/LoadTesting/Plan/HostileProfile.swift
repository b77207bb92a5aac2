/// Kinds of ill-behaved clients.
public enum HostileProfile: String, Sendable, Hashable, CaseIterable {
    /// Sends without end, and reads one byte now and then.
    case slowReader = "slow-reader"
    /// Sends one byte now and then.
    case slowWriter = "slow-writer"
    /// Sends, shuts down its sending side, and waits for the answers.
    case halfClose = "half-close"
    /// Sends, then resets the connection.
    case reset
    /// Sends random bytes.
    case garbage
    /// Connects, and sends nothing.
    case stay
}
