/// Ways of clients that a server has to bear.
public enum HostileProfile: String, Sendable, Hashable, CaseIterable {
    /// Sends without end, and reads a few bytes a second.
    case slowReader = "slow-reader"
    /// Sends a byte every now and then.
    case slowWriter = "slow-writer"
    /// Sends, says that it sends nothing more, and wants its answers.
    case halfClose = "half-close"
    /// Sends, and resets the connection.
    case reset
    /// Sends random bytes.
    case garbage
    /// Connects, and stays without a word.
    case stay
}
