internal import LinuxPlatform

/// A file whose watch the kernel may have dropped, and when to ask.
///
/// Where the last name of an open file goes, the kernel ends the file's watches, and tells of each
/// before it is done with all. A watch that is made in between can be put where the kernel has been
/// already (Linux 6.18, `fsnotify_destroy_marks`): it is dropped with the others, and no event says
/// so. Nothing tells when the kernel is done, which is microseconds later unless the CPU does
/// something else: so it is asked again, later and later.
struct WatchCheck {
    let node: FileSystemNode
    private(set) var deadline: UInt64
    private var wait = WatchCheck.firstWait

    private static let firstWait: UInt64 = 1_000_000
    private static let longestWait: UInt64 = 100_000_000

    init(_ node: FileSystemNode) {
        self.node = node
        deadline = MonotonicClock.nanoseconds() + wait
    }

    /// The same, ten times as long after; nil: this was the last one.
    func next() -> WatchCheck? {
        guard wait < WatchCheck.longestWait else { return nil }
        var next = self
        next.wait *= 10
        next.deadline = MonotonicClock.nanoseconds() + next.wait
        return next
    }
}
