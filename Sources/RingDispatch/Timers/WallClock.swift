internal import LinuxPlatform
internal import Synchronization

/// The wall clock as timers follow it, also when somebody sets it.
package enum WallClock {
    /// Added to the clock: nanoseconds. Read and written relaxed.
    private static let adjustment = Atomic<Int64>(0)

    /// As if somebody had set the clock: for tests.
    package static func adjust(by nanoseconds: Int64) {
        adjustment.wrappingAdd(nanoseconds, ordering: .relaxed)
        wasSet()
    }

    /// Nanoseconds since 1970.
    static func nanoseconds() -> UInt64 {
        let time = MonotonicClock.realtimeNanoseconds()
        return time &+ UInt64(bitPattern: adjustment.load(ordering: .relaxed))
    }

    /// When it will be `deadline`, on CLOCK_MONOTONIC, unless somebody sets the clock.
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

    /// Has loops that sleep look at their timers again whenever somebody sets the clock.
    static func watchSteps() { _ = watch }

    private static let watch = StepWatch()

    /// Somebody has set the clock.
    static func wasSet() {
        for loop in Runtime.pool.loops { loop.wakeIfIdle() }
    }
}

/// Learns from a timerfd(2) with TFD_TIMER_CANCEL_ON_SET when the clock is set. It never fires
/// otherwise: a process without such timers has none, and one with them pays one descriptor.
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
            Diagnostics.log("wall-clock timers do not follow a clock that is set: \(error)")
            source = nil
        }
    }
}
