internal import LinuxPlatform

extension DispatchSource {
    /// How a timer is made. `strict`: no leeway beyond what was asked for; none is added here.
    public struct TimerFlags: OptionSet, Sendable {
        public let rawValue: UInt
        public init(rawValue: UInt) { self.rawValue = rawValue }
        public static let strict = TimerFlags(rawValue: 1)
    }

    /// Fires at times that `schedule` sets. `dispatch_source_create(DISPATCH_SOURCE_TYPE_TIMER)`.
    public static func makeTimerSource(
        flags: TimerFlags = [], queue: DispatchQueue? = nil
    ) -> any DispatchSourceTimer {
        TimerSourceObject(queue)
    }
}

/// The timer source that the program holds.
private final class TimerSourceObject: DispatchSource, DispatchSourceTimer, @unchecked Sendable {
    // Safety: as its superclass; `core` is what `init` made.
    private var timerCore: TimerSource { unsafeDowncast(core, to: TimerSource.self) }

    init(_ queue: DispatchQueue?) {
        super.init(core: TimerSource(queue: queue))
    }

    override var data: UInt { timerCore.data }

    func schedule(
        deadline: DispatchTime, repeating interval: DispatchTimeInterval,
        leeway: DispatchTimeInterval
    ) {
        timerCore.schedule(
            deadline: deadline.monotonicDeadline, on: .monotonic,
            interval: nanoseconds(interval), leeway: nanoseconds(leeway))
    }

    func schedule(
        deadline: DispatchTime, repeating interval: Double, leeway: DispatchTimeInterval
    ) {
        timerCore.schedule(
            deadline: deadline.monotonicDeadline, on: .monotonic,
            interval: nanoseconds(interval), leeway: nanoseconds(leeway))
    }

    func schedule(
        wallDeadline: DispatchWallTime, repeating interval: DispatchTimeInterval,
        leeway: DispatchTimeInterval
    ) {
        timerCore.schedule(
            deadline: wallDeadline.realtimeDeadline, on: .wall,
            interval: nanoseconds(interval), leeway: nanoseconds(leeway))
    }

    func schedule(
        wallDeadline: DispatchWallTime, repeating interval: Double, leeway: DispatchTimeInterval
    ) {
        timerCore.schedule(
            deadline: wallDeadline.realtimeDeadline, on: .wall,
            interval: nanoseconds(interval), leeway: nanoseconds(leeway))
    }

    /// An interval's length; 0 stands for never.
    private func nanoseconds(_ interval: DispatchTimeInterval) -> UInt64 {
        if interval == .never { return 0 }
        return positive(interval.clampedNanoseconds)
    }

    private func nanoseconds(_ seconds: Double) -> UInt64 {
        if seconds.isInfinite { return 0 }
        return positive(DispatchTimeInterval.clampedNanoseconds(seconds: seconds))
    }

    /// GCD takes an interval of 0 for the shortest there is.
    private func positive(_ nanoseconds: Int64) -> UInt64 {
        guard nanoseconds >= 0 else {
            fatalMisuse("a timer's interval or leeway cannot be negative: \(nanoseconds) ns")
        }
        return UInt64(max(1, nanoseconds))
    }
}
