internal import Ring

/// The place of a node in its tree's table. 0 is none.
typealias NodeNumber = UInt32

/// One file or folder that is watched: as small as it can be, since there are a hundred thousand of
/// them. 48 bytes.
struct TreeNode {
    private var inodeHalves = Halves()
    private var modifiedHalves = Halves()
    /// Of a file: its size; `elsewhere` for a large one, which the tree keeps apart. Of a folder:
    /// the number of its watch; `noWatch` without one.
    var sizeOrWatch: UInt32 = 0
    /// 0: it is a root.
    var parent: NodeNumber = 0
    /// Its neighbours among the entries of its folder. Of a free place: the next free one.
    var next: NodeNumber = 0
    var previous: NodeNumber = 0
    var firstChild: NodeNumber = 0
    /// The next in its bucket of the table of names.
    var nextInBucket: NodeNumber = 0
    var nameOffset: UInt32 = 0
    var nameLength: UInt16 = 0
    var kind = FolderEntryFacts.Kind.file
    var flags: NodeFlags = .free

    static let noWatch = UInt32.max
    static let elsewhere = UInt32.max

    var inode: UInt64 {
        get { inodeHalves.value }
        set { inodeHalves.value = newValue }
    }

    var modifiedNanoseconds: Int64 {
        get { Int64(bitPattern: modifiedHalves.value) }
        set { modifiedHalves.value = UInt64(bitPattern: newValue) }
    }

    /// 64 bits that need no place at a multiple of 8, for which each node would be larger.
    private struct Halves {
        private var low: UInt32 = 0
        private var high: UInt32 = 0

        var value: UInt64 {
            get { UInt64(high) << 32 | UInt64(low) }
            set {
                low = UInt32(truncatingIfNeeded: newValue)
                high = UInt32(truncatingIfNeeded: newValue >> 32)
            }
        }
    }
}

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
