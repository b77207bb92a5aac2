internal import LinuxPlatform

/// The index of a node in its tree's table. 0 is none.
typealias NodeNumber = UInt32

/// One watched file or folder, packed into 48 bytes because a tree has hundreds of thousands of
/// them.
struct TreeNode {
    var inode: UInt64 = 0
    var modifiedNanoseconds: Int64 = 0
    /// A file's size. Of a folder, its first child in the upper half and its watch in the lower.
    private var value: UInt64 = 0
    /// 0 for a root, and for a free node.
    var parent: NodeNumber = 0
    /// The siblings in the parent's list of children. For a free node, `next` is the next free one.
    var next: NodeNumber = 0
    var previous: NodeNumber = 0
    /// The next node in the same bucket of the name table.
    var nextInBucket: NodeNumber = 0
    var nameOffset: UInt32 = 0
    var nameLength: UInt16 = 0
    var kind = FolderEntryFacts.Kind.file
    var flags: NodeFlags = []

    var isFolder: Bool { kind == .directory }

    /// 0 for a folder.
    var size: UInt64 {
        get { isFolder ? 0 : value }
        set { value = newValue }
    }

    /// A folder's watch. Nil: it has none; the kernel's numbers begin at 1.
    var watch: Int32? {
        get {
            let number = Int32(truncatingIfNeeded: value)
            return isFolder && number != 0 ? number : nil
        }
        set { value = UInt64(firstChild) << 32 | UInt64(UInt32(bitPattern: newValue ?? 0)) }
    }

    var lacksWatch: Bool { isFolder && watch == nil }

    /// 0: the folder is empty.
    var firstChild: NodeNumber {
        get { isFolder ? NodeNumber(value >> 32) : 0 }
        set { value = UInt64(newValue) << 32 | UInt64(UInt32(truncatingIfNeeded: value)) }
    }
}
