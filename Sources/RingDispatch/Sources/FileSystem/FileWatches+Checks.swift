internal import Ring

/// A file whose watch the kernel may have dropped, and when to ask.
///
/// Where the last name of an open file goes, the kernel ends the file's watches, and tells of each
/// before it is done with all. A watch that is made in between can be put where the kernel has been
/// already (Linux 6.18, `fsnotify_destroy_marks`): it is dropped with the others, and no event says
/// so. Nothing tells when the kernel is done, which is microseconds later unless the CPU does
/// something else: so it is asked again, later and later.
struct WatchCheck {
    let file: WatchedFile
    private(set) var deadline: UInt64
    private var wait = WatchCheck.firstWait

    private static let firstWait: UInt64 = 1_000_000
    private static let longestWait: UInt64 = 100_000_000

    init(_ file: WatchedFile) {
        self.file = file
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

extension FileWatches {
    /// When the next check is due, on CLOCK_MONOTONIC.
    var nextCheck: UInt64? { checks.map(\.deadline).min() }

    /// Makes the watches again that are due and gone, and tells what may have happened meanwhile.
    func checkWatches() -> Outcome {
        var outcome = Outcome()
        let now = MonotonicClock.nanoseconds()
        let due = checks.filter { $0.deadline <= now }
        checks.removeAll { $0.deadline <= now }
        for check in due where isCurrent(check.file) {
            let before = check.file.watch
            do throws(KernelError) {
                try watchAgain(check.file)
            } catch {
                abandon(check.file, error, &outcome)
                continue
            }
            if check.file.watch != before || !isCurrent(check.file) {
                watcher.unwatch(before)
                examine([check.file], isThorough: true)
            }
            if isCurrent(check.file), let next = check.next() { checks.append(next) }
        }
        return outcome
    }
}
