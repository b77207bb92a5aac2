public import RingDispatch

/// What a ``FileTreeWatcher`` watches, and how it tells about it.
public struct FileTreeOptions: Sendable {
    /// How long changes are collected, from the first on, and merged into what they amount to.
    /// 0: each is told at once, as the kernel tells it.
    public var window: DispatchTimeInterval = .milliseconds(50)
    /// Patterns, as in `.gitignore`, of what is neither watched nor told. They stand above those of
    /// `.gitignore` files.
    public var ignore: [String] = []
    /// Whether the tree's `.gitignore` files count, too. They are read again when they change.
    public var readsGitignore = false
    /// Whether folders that symbolic links lead to are watched, too. A root is followed always.
    public var followsSymlinks = false
    /// Whether what is there already is told, as `created` and discovered. Otherwise it is only
    /// in the snapshot.
    public var reportsExisting = false

    public init() {}
}
