/// Limits that framings share.
public enum FrameLimits {
    /// The default limit of a payload, in bytes: enough for lines and small messages. It bounds the
    /// memory that a peer can make the process keep.
    public static let defaultMaximumLength = 65_536
}
