/// A subscriber's interest in a watched folder.
struct InotifySubscription: Hashable, Sendable {
    /// The purpose of a watch.
    enum Target: Hashable, Sendable {
        /// A node of the tree: its entries are watched.
        case node(NodeNumber)
        /// A folder that is watched for one name: a root, or a folder on the path to a root.
        case anchor(UInt32)
    }

    var subscriber: UInt32
    var target: Target
}
