public import RingDispatch

/// Which files a ``FileTreeWatcher`` watches, and how it reports changes.
public struct FileTreeOptions: Sendable {
    /// The coalescing window, which starts with its first change. 0 reports each event of the
    /// kernel at once.
    public var window: DispatchTimeInterval = .milliseconds(50)
    /// Patterns, in `.gitignore` syntax, of entries that are neither watched nor reported. They
    /// take precedence over `.gitignore` files.
    public var ignore: [String] = []
    /// Whether the tree's `.gitignore` files apply as well. They are reloaded when they change.
    public var readsGitignore = false
    /// Whether folders behind symbolic links are watched. A root is always followed.
    public var followsSymlinks = false
    /// Whether existing entries are reported, as discovered `created` changes. Otherwise they
    /// appear only in the snapshot.
    public var reportsExisting = false

    public init() {}
}
