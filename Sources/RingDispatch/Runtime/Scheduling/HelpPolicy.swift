internal import LinuxPlatform
internal import Synchronization

/// Decides when to wake another loop to help with waiting work: one helper at a time, and less and
/// less often while the helpers find nothing.
///
/// A helper may never report its end: it was not asleep any more and got no wake-up, or it found
/// work of its own that blocks. So help is under way for a limited time only.
struct HelpPolicy: ~Copyable {
    /// Time of the next permitted help, in ticks. All three are hints, read and written relaxed.
    private let next = Atomic<UInt64>(0)
    private let interval = Atomic<UInt64>(Tuning.shortestHelpTicks)
    /// When the help under way began, in ticks; 0 if none is. The exchange in `begin` lets one of
    /// several threads wake a helper.
    private let begun = Atomic<UInt64>(0)

    @inline(__always)
    func isDue() -> Bool {
        let now = Ticks.now()
        // A time further ahead was before the counter began again, as it may after hibernation.
        let wait = next.load(ordering: .relaxed) &- now
        return isFree(now, begun: begun.load(ordering: .relaxed))
            && (wait == 0 || wait > Tuning.longestHelpTicks)
    }

    @inline(__always)
    private func isFree(_ now: UInt64, begun: UInt64) -> Bool {
        begun == 0 || now &- begun > Tuning.lostHelpTicks
    }

    /// Whether a helper was woken that has not ended, lost ones included.
    var isUnderWay: Bool { begun.load(ordering: .relaxed) != 0 }

    func begin() -> Bool {
        let now = Ticks.now()
        let before = begun.load(ordering: .relaxed)
        guard isFree(now, begun: before),
            begun.compareExchange(expected: before, desired: now, ordering: .relaxed).exchanged
        else { return false }
        next.store(now &+ interval.load(ordering: .relaxed), ordering: .relaxed)
        return true
    }

    func succeeded() {
        interval.store(Tuning.shortestHelpTicks, ordering: .relaxed)
        begun.store(0, ordering: .relaxed)
    }

    /// A loop goes to sleep. If it was woken to help and found nothing, the next help comes later.
    func ended() {
        guard isUnderWay else { return }
        let longer = min(interval.load(ordering: .relaxed) &* 2, Tuning.longestHelpTicks)
        interval.store(longer, ordering: .relaxed)
        next.store(Ticks.now() &+ longer, ordering: .relaxed)
        begun.store(0, ordering: .relaxed)
    }
}
