internal import LinuxPlatform

/// A file whose watch the kernel may have dropped, and the time of the next check.
///
/// When the last name of an open file is removed, the kernel ends the file's watches one by one,
/// and sends an event for each before it has finished. A watch made in between may end up in a part
/// of the list that the kernel has already processed (Linux 6.18, `fsnotify_destroy_marks`): it is
/// dropped with the others, without an event. Nothing shows when the kernel has finished, usually
/// microseconds later. So the watch is checked again, at growing intervals.
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

    /// The next check, after ten times the wait; nil if this was the last one.
    func next() -> WatchCheck? {
        guard wait < WatchCheck.longestWait else { return nil }
        var next = self
        next.wait *= 10
        next.deadline = MonotonicClock.nanoseconds() + next.wait
        return next
    }
}
