/// Limits that framings share.
public enum FrameLimits {
    /// The default limit of a payload, in bytes: enough for lines and small messages. It bounds the
    /// memory that a peer can make the process keep.
    public static let defaultMaximumLength = 65_536

    /// Memory up to this size is kept for later bytes: an idle connection must not keep more.
    @usableFromInline static var keptCapacity: Int { 4096 }
}
