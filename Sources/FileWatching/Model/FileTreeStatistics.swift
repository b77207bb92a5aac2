/// A watcher's counters: its current size, and totals since its activation.
public struct FileTreeStatistics: Sendable, Hashable {
    /// Folders with an inotify watch of this watcher.
    public var watches = 0
    /// Known folders, with a watch or without.
    public var folders = 0
    /// Entries other than folders.
    public var files = 0
    /// Events from the kernel.
    public var events: UInt64 = 0
    /// Changes reported to the handler and the sequences.
    public var changes: UInt64 = 0
    /// Overflows of the kernel's queue or of a queue of the watcher.
    public var overflows: UInt64 = 0
    /// Comparisons of all folders with the known state.
    public var rescans: UInt64 = 0
    /// Changes that these comparisons found.
    public var repairs: UInt64 = 0
    /// Comparisons of the roots that are polled.
    public var polls: UInt64 = 0
    /// Roots that are compared with the disk at intervals, because others may change them.
    public var polledRoots = 0
    /// Changes dropped because too many waited for the handler.
    public var dropped: UInt64 = 0

    /// All counters at 0.
    public init() {}
}
