public import RingDispatch

/// What a ``FileTreeWatcher`` watches, and how it reports changes.
public struct FileTreeOptions: Sendable {
    /// How long changes are collected, from the first on, to be coalesced. 0: each is reported at
    /// once, as it comes from the kernel.
    public var window: DispatchTimeInterval = .milliseconds(50)
    /// Patterns, as in `.gitignore`, of what is neither watched nor reported. They take precedence
    /// over those of `.gitignore` files.
    public var ignore: [String] = []
    /// Whether the tree's `.gitignore` files count, too. They are reloaded when they change.
    public var readsGitignore = false
    /// Whether folders that symbolic links lead to are watched, too. A root always is.
    public var followsSymlinks = false
    /// Whether what exists already is reported, as `created` and discovered. Otherwise it is only
    /// in the snapshot.
    public var reportsExisting = false

    public init() {}
}
