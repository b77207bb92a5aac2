/// Kinds of ill-behaved clients.
public enum HostileProfile: String, Sendable, Hashable, CaseIterable {
    /// Sends without end, and reads a few bytes a second.
    case slowReader = "slow-reader"
    /// Sends a byte every now and then.
    case slowWriter = "slow-writer"
    /// Sends, closes its output, and waits for the answers.
    case halfClose = "half-close"
    /// Sends, and resets the connection.
    case reset
    /// Sends random bytes.
    case garbage
    /// Connects, and sends nothing.
    case stay
}
