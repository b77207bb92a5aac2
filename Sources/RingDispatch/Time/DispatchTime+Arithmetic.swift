extension DispatchTime {
    /// The time that lies `interval` after this one, or before it when `interval` is negative.
    /// Saturates as described at ``DispatchTime``.
    public func advanced(by interval: DispatchTimeInterval) -> DispatchTime {
        advanced(byNanoseconds: interval.clampedNanoseconds)
    }

    /// How long it is from this time to `other`; negative when `other` is the earlier one.
    ///
    /// `.never` when only `other` is ``distantFuture``, `.nanoseconds(.min)` when only this time
    /// is, and zero when both are. A time that was made from 0 counts as the current time.
    public func distance(to other: DispatchTime) -> DispatchTimeInterval {
        .distance(from: monotonicDeadline, to: other.monotonicDeadline)
    }

    package func advanced(byNanoseconds delta: Int64) -> DispatchTime {
        let deadline = monotonicDeadline
        if deadline == .max { return .distantFuture }
        let start = Int64(deadline)
        // `start` is positive, so only a sum that is too large can overflow.
        let (sum, overflow) = start.addingReportingOverflow(delta)
        if overflow || sum > Int64(DispatchTime.latestFinite) { return .distantFuture }
        // Never 0, which would mean "now".
        return DispatchTime(uptimeNanoseconds: UInt64(max(1, sum)))
    }
}

extension DispatchTimeInterval {
    /// The span between two deadlines on one clock, each `UInt64.max` or below 2^62.
    package static func distance(from start: UInt64, to end: UInt64) -> DispatchTimeInterval {
        switch (start, end) {
        case (.max, .max): .nanoseconds(0)
        case (.max, _): .nanoseconds(.min)
        case (_, .max): .never
        default: .nanoseconds(Int(end) - Int(start))
        }
    }
}

/// The time that lies `interval` after `time`; `time + .never` is the distant future. Saturates as
/// described at ``DispatchTime``. Stands for `dispatch_time`.
public func + (time: DispatchTime, interval: DispatchTimeInterval) -> DispatchTime {
    time.advanced(byNanoseconds: interval.clampedNanoseconds)
}

/// The time that lies `interval` before `time`. Saturates as described at ``DispatchTime``.
public func - (time: DispatchTime, interval: DispatchTimeInterval) -> DispatchTime {
    time.advanced(byNanoseconds: interval.clampedNanoseconds.clampedNegation)
}

/// The time that lies `seconds` after `time`. Saturates as described at ``DispatchTime``;
/// not-a-number gives the distant future.
public func + (time: DispatchTime, seconds: Double) -> DispatchTime {
    time.advanced(byNanoseconds: DispatchTimeInterval.clampedNanoseconds(seconds: seconds))
}

/// The time that lies `seconds` before `time`. Saturates as described at ``DispatchTime``;
/// not-a-number gives the distant future.
public func - (time: DispatchTime, seconds: Double) -> DispatchTime {
    time.advanced(byNanoseconds: DispatchTimeInterval.clampedNanoseconds(seconds: -seconds))
}
