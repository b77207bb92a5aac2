internal import LinuxPlatform

/// The index of a node in its tree's table. 0 is none.
typealias NodeNumber = UInt32

/// One watched file or folder, packed into 48 bytes because a tree has hundreds of thousands of
/// them.
struct TreeNode {
    var inode: UInt64 = 0
    var modifiedNanoseconds: Int64 = 0
    /// For a file: its size, or `elsewhere` for a large one, whose size `FileTree.largeSizes`
    /// holds. For a folder: its watch number, or `noWatch`.
    var sizeOrWatch: UInt32 = 0
    /// 0 for a root.
    var parent: NodeNumber = 0
    /// The siblings in the parent's list of children. For a free node, `next` is the next free one.
    var next: NodeNumber = 0
    var previous: NodeNumber = 0
    var firstChild: NodeNumber = 0
    /// The next node in the same bucket of the name table.
    var nextInBucket: NodeNumber = 0
    var nameOffset: UInt32 = 0
    var nameLength: UInt16 = 0
    var kind = FolderEntryFacts.Kind.file
    var flags: NodeFlags = .free

    static let noWatch = UInt32.max
    static let elsewhere = UInt32.max
}
