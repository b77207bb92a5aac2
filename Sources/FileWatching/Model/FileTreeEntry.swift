public import SystemPackage

/// What a watcher knows about one file or folder.
public struct FileTreeEntry: Sendable, Hashable {
    /// The root as it was given to the watcher, and below it the names that lead there.
    public var path: FilePath
    public var kind: FileChange.Kind
    /// In bytes; 0 for a folder.
    public var size: UInt64
    /// When the content last changed, as far as the watcher has noticed: nanoseconds since 1970; 0
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
