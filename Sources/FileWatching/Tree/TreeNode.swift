internal import LinuxPlatform

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
