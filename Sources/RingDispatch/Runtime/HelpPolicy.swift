internal import CLinux
internal import Synchronization

/// Decides when to wake another loop to help with waiting work: at most one helper at a time, and
/// less and less often while the helpers find nothing.
struct HelpPolicy: ~Copyable {
    /// Time of the next permitted help, in ticks. All three are hints, read and written relaxed.
    private let next = Atomic<UInt64>(0)
    private let interval = Atomic<UInt64>(HelpPolicy.shortest)
    private let isUnderWay = Atomic<Bool>(false)

    static let shortest = 50 * clinux_ticks_per_microsecond()
    static let longest = 20_000 * clinux_ticks_per_microsecond()

    @inline(__always)
    func isDue() -> Bool {
        !isUnderWay.load(ordering: .relaxed) && clinux_ticks() >= next.load(ordering: .relaxed)
    }

    var isUnderWayNow: Bool { isUnderWay.load(ordering: .relaxed) }

    func begin() -> Bool {
        guard !isUnderWay.exchange(true, ordering: .acquiringAndReleasing) else { return false }
        next.store(clinux_ticks() &+ interval.load(ordering: .relaxed), ordering: .relaxed)
        return true
    }

    func succeeded() {
        interval.store(HelpPolicy.shortest, ordering: .relaxed)
        isUnderWay.store(false, ordering: .relaxed)
    }

    func ended() {
        guard isUnderWay.load(ordering: .relaxed) else { return }
        let longer = min(interval.load(ordering: .relaxed) &* 2, HelpPolicy.longest)
        interval.store(longer, ordering: .relaxed)
        next.store(clinux_ticks() &+ longer, ordering: .relaxed)
        isUnderWay.store(false, ordering: .relaxed)
    }
}
