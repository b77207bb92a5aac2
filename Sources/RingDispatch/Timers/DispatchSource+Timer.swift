internal import LinuxPlatform

extension DispatchSource {
    /// Options of a timer. `strict` asks for no added leeway; none is ever added here.
    public struct TimerFlags: OptionSet, Sendable {
        public let rawValue: UInt
        public init(rawValue: UInt) { self.rawValue = rawValue }
        /// `DISPATCH_TIMER_STRICT`. Has no effect.
        public static let strict = TimerFlags(rawValue: 1)
    }

    /// Creates a source that fires at the times set by `schedule`.
    /// `dispatch_source_create(DISPATCH_SOURCE_TYPE_TIMER)`.
    public static func makeTimerSource(
        flags: TimerFlags = [], queue: DispatchQueue? = nil
    ) -> any DispatchSourceTimer {
        TimerSourceObject(core: TimerSource(queue: queue))
    }
}

/// The timer source that the program holds; the core does the work.
private final class TimerSourceObject: DispatchSource, DispatchSourceTimer, @unchecked Sendable {
    // Safety: as its superclass; the make function passes a TimerSource.
    private var timerCore: TimerSource { unsafeDowncast(core, to: TimerSource.self) }

    func schedule(
        deadline: DispatchTime, repeating interval: DispatchTimeInterval,
        leeway: DispatchTimeInterval
    ) {
        schedule(deadline.monotonicDeadline, .monotonic, nanoseconds(interval), leeway)
    }

    func schedule(
        deadline: DispatchTime, repeating interval: Double, leeway: DispatchTimeInterval
    ) {
        schedule(deadline.monotonicDeadline, .monotonic, nanoseconds(interval), leeway)
    }

    func schedule(
        wallDeadline: DispatchWallTime, repeating interval: DispatchTimeInterval,
        leeway: DispatchTimeInterval
    ) {
        schedule(wallDeadline.realtimeDeadline, .wall, nanoseconds(interval), leeway)
    }

    func schedule(
        wallDeadline: DispatchWallTime, repeating interval: Double, leeway: DispatchTimeInterval
    ) {
        schedule(wallDeadline.realtimeDeadline, .wall, nanoseconds(interval), leeway)
    }

    private func schedule(
        _ deadline: UInt64, _ clock: TimerClock, _ interval: UInt64, _ leeway: DispatchTimeInterval
    ) {
        timerCore.schedule(
            deadline: deadline, on: clock, interval: interval, leeway: nanoseconds(leeway))
    }

    /// The interval in nanoseconds; 0 stands for never.
    private func nanoseconds(_ interval: DispatchTimeInterval) -> UInt64 {
        if interval == .never { return 0 }
        return positive(interval.clampedNanoseconds)
    }

    private func nanoseconds(_ seconds: Double) -> UInt64 {
        if seconds == .infinity { return 0 }
        return positive(DispatchTimeInterval.clampedNanoseconds(seconds: seconds))
    }

    /// Like GCD, treats an interval of 0 as the shortest one.
    private func positive(_ nanoseconds: Int64) -> UInt64 {
        guard nanoseconds >= 0 else {
            fatalMisuse("a timer's interval or leeway cannot be negative: \(nanoseconds) ns")
        }
        return UInt64(max(1, nanoseconds))
    }
}
