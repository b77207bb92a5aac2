/// What is to be remembered of a node for a while.
struct NodeFlags: OptionSet {
    var rawValue: UInt8

    /// The place is not taken.
    static let free = NodeFlags(rawValue: 1 << 0)
    /// The folder is to be looked at.
    static let pending = NodeFlags(rawValue: 1 << 1)
    /// What is found below it is not told.
    static let quiet = NodeFlags(rawValue: 1 << 2)
    /// It was looked at a moment ago: events may tell what was found already.
    static let fresh = NodeFlags(rawValue: 1 << 3)
    /// It is compared with the disk, with all below it.
    static let repair = NodeFlags(rawValue: 1 << 4)
    /// It was found during the present look at its folder.
    static let seen = NodeFlags(rawValue: 1 << 5)
    /// A symbolic link that is followed.
    static let link = NodeFlags(rawValue: 1 << 6)
    /// It was renamed, and where to is not known yet.
    static let departing = NodeFlags(rawValue: 1 << 7)
}
