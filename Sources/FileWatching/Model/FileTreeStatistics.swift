/// Counts of a watcher: what it holds now, and what has happened since it was activated.
public struct FileTreeStatistics: Sendable, Hashable {
    /// Folders that the kernel watches for this watcher.
    public var watches = 0
    public var folders = 0
    /// All that is not a folder.
    public var files = 0
    /// Events from the kernel.
    public var events: UInt64 = 0
    /// Changes that were reported.
    public var changes: UInt64 = 0
    /// How often the kernel's queue, or a queue of the watcher, overflowed.
    public var overflows: UInt64 = 0
    /// How often all folders were compared with what was known of them.
    public var rescans: UInt64 = 0
    /// Changes that such a comparison found.
    public var repairs: UInt64 = 0
    /// Changes that were dropped because the handler did not keep up.
    public var dropped: UInt64 = 0

    public init() {}
}
