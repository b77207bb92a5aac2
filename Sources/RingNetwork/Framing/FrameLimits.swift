/// Limits that framings share.
public enum FrameLimits {
    /// The longest payload, in bytes, where none is given: enough for lines and small messages, and
    /// what a peer can make the process keep for it.
    public static let defaultMaximumLength = 65_536
}
