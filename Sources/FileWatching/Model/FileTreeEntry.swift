public import SystemPackage

/// A watcher's knowledge of one file or folder.
///
/// A change of a file that has several names (hard links) shows in all its entries, as long as it
/// was made under a name that is watched and still exists.
public struct FileTreeEntry: Sendable, Hashable {
    /// Begins with the root as passed to the watcher.
    public var path: FilePath
    /// The kind as last noticed by the watcher.
    public var kind: FileChange.Kind
    /// In bytes; 0 for a folder.
    public var size: UInt64
    /// The content's modification time as last noticed by the watcher, in nanoseconds since 1970; 0
    /// for a folder. Times after the year 2262 wrap.
    public var modifiedNanoseconds: Int64
    /// The inode's number in its file system (`st_ino` of stat(2)); 0 while the watcher has not
    /// examined the entry.
    public var inode: UInt64

    /// Creates an entry, for tests of code that receives snapshots.
    public init(
        path: FilePath, kind: FileChange.Kind, size: UInt64, modifiedNanoseconds: Int64,
        inode: UInt64
    ) {
        self.path = path
        self.kind = kind
        self.size = size
        self.modifiedNanoseconds = modifiedNanoseconds
        self.inode = inode
    }
}
