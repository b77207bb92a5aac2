/// Temporary states of a node.
struct NodeFlags: OptionSet {
    var rawValue: UInt8

    /// The folder waits for a scan.
    static let pending = NodeFlags(rawValue: 1 << 0)
    /// Entries that a scan finds below it are not reported.
    static let quiet = NodeFlags(rawValue: 1 << 1)
    /// Just scanned: events in the kernel's queue may report entries that the scan has found
    /// already.
    static let fresh = NodeFlags(rawValue: 1 << 2)
    /// The folder and all its descendants are compared with the disk.
    static let repair = NodeFlags(rawValue: 1 << 3)
    /// Found by the current scan of its folder.
    static let seen = NodeFlags(rawValue: 1 << 4)
    /// A symbolic link that the watcher follows.
    static let link = NodeFlags(rawValue: 1 << 5)
    /// Renamed; the new path is not known yet.
    static let departing = NodeFlags(rawValue: 1 << 6)
    /// A change of the file was reported after its facts were read.
    static let unexamined = NodeFlags(rawValue: 1 << 7)
}
