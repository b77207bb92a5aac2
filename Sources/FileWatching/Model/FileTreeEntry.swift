public import SystemPackage

/// A watcher's knowledge of one file or folder.
///
/// A change of a file that has several names (hard links) shows in all its entries, as long as it
/// was made under a name that is watched.
public struct FileTreeEntry: Sendable, Hashable {
    /// Begins with the root as passed to the watcher.
    public var path: FilePath
    public var kind: FileChange.Kind
    /// In bytes; 0 for a folder.
    public var size: UInt64
    /// The content's modification time as last noticed by the watcher, in nanoseconds since 1970; 0
    /// for a folder.
    public var modifiedNanoseconds: Int64
    public var inode: UInt64

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
