public import RingDispatch

/// Which files a ``FileTreeWatcher`` watches, and how it reports changes.
public struct FileTreeOptions: Sendable {
    /// The coalescing window, which starts with its first change. 0 and a negative one report each
    /// event of the kernel at once; `.never` ends the process. Changes wait in memory meanwhile.
    public var window: DispatchTimeInterval = .milliseconds(50)
    /// Patterns, in `.gitignore` syntax, of entries that are neither watched nor reported. They
    /// take precedence over `.gitignore` files. Empty lines and comments have no effect.
    public var ignore: [String] = []
    /// Whether the tree's `.gitignore` files apply as well. They are reloaded when they change.
    public var readsGitignore = false
    /// Whether folders behind symbolic links are watched. A root is always followed.
    public var followsSymlinks = false
    /// Whether existing entries are reported, as discovered `created` changes. Otherwise they
    /// appear only in the snapshot.
    public var reportsExisting = false
    /// How often the watcher compares folders with the disk where the kernel does not report what
    /// others change: on network file systems and on FUSE. `.never`: it does not. Less than 10 ms
    /// counts as 10 ms, and the pause is at least ten times as long as the last comparison, which
    /// takes about as long as listing all the folders.
    public var pollInterval: DispatchTimeInterval = .seconds(5)
    /// Whether all folders are compared, on other file systems as well.
    public var pollsEverywhere = false

    /// The defaults: everything in the tree is watched, and changes are reported after 50 ms.
    public init() {}
}
