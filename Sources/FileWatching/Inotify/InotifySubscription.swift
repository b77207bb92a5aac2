/// A subscriber's interest in a watched folder.
struct InotifySubscription: Hashable, Sendable {
    /// What a folder is watched for.
    enum Target: Hashable, Sendable {
        /// Its entries.
        case node(NodeNumber)
        /// The name of a root, or of a folder on the way to the root, that is expected in it.
        case anchor(UInt32)
    }

    var subscriber: UInt32
    var target: Target
}
