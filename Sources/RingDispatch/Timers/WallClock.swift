internal import LinuxPlatform
internal import Synchronization

/// The wall clock for timers, which follow it when it is set.
package enum WallClock {
    /// Nanoseconds added to the clock, for tests. Relaxed: no other data depends on it.
    private static let adjustment = Atomic<Int64>(0)

    /// Acts as if the clock had been set: for tests.
    package static func adjust(by nanoseconds: Int64) {
        adjustment.wrappingAdd(nanoseconds, ordering: .relaxed)
        wasSet()
    }

    /// Nanoseconds since 1970.
    static func nanoseconds() -> UInt64 {
        let time = MonotonicClock.realtimeNanoseconds()
        return time &+ UInt64(bitPattern: adjustment.load(ordering: .relaxed))
    }

    /// `deadline` converted to CLOCK_MONOTONIC; valid until the clock is set.
    static func monotonicDeadline(for deadline: UInt64) -> UInt64 {
        if deadline == .max { return .max }
        let monotonic = MonotonicClock.nanoseconds()
        let wall = nanoseconds()
        if deadline < wall {
            let late = wall - deadline
            return late < monotonic ? monotonic - late : 1
        }
        let (sum, isOver) = monotonic.addingReportingOverflow(deadline - wall)
        return isOver ? .max - 1 : sum
    }

    /// Makes sleeping loops recompute their deadlines whenever the clock is set.
    static func watchSteps() { _ = watch }

    private static let watch = StepWatch()

    /// How often the clock was set. Store-then-check with a loop's state: a step stores this and
    /// wakes the loops that sleep; a loop announces its sleep and checks this.
    private static let steps = Atomic<UInt64>(0)

    static var stepCount: UInt64 { steps.load(ordering: .sequentiallyConsistent) }

    static func wasSet() {
        steps.wrappingAdd(1, ordering: .sequentiallyConsistent)
        for loop in Runtime.pool.loops { loop.wakeIfIdle() }
    }
}

/// Learns when the clock is set from a timerfd(2) with TFD_TIMER_CANCEL_ON_SET, which never fires
/// otherwise. Created with the first wall-clock timer.
private final class StepWatch: Sendable {
    private let source: (any DispatchSourceRead)?

    init() {
        do throws(SystemError) {
            let steps = try StepDescriptor()
            let queue = DispatchQueue(label: "ringdispatch.clock")
            let source = DispatchSource.makeReadSource(fileDescriptor: steps.number, queue: queue)
            source.setEventHandler {
                steps.takeStep()
                WallClock.wasSet()
            }
            source.activate()
            self.source = source
        } catch {
            Diagnostics.log("wall-clock timers do not follow changes of the clock: \(error)")
            source = nil
        }
    }
}
