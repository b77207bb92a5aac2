extension DispatchTime {
    /// This time plus `interval`, which may be negative.
    public func advanced(by interval: DispatchTimeInterval) -> DispatchTime {
        advanced(byNanoseconds: interval.clampedNanoseconds)
    }

    /// The interval from this time to `other`; negative if `other` is earlier.
    ///
    /// `.never` if only `other` is ``distantFuture``, `.nanoseconds(.min)` if only this time is,
    /// zero if both are. A time created from 0 counts as the current time.
    public func distance(to other: DispatchTime) -> DispatchTimeInterval {
        .distance(from: monotonicDeadline, to: other.monotonicDeadline)
    }

    package func advanced(byNanoseconds delta: Int64) -> DispatchTime {
        let deadline = monotonicDeadline
        if deadline == .max { return .distantFuture }
        let start = Int64(deadline)
        // `start` is positive, so the sum can only overflow upwards.
        let (sum, overflow) = start.addingReportingOverflow(delta)
        if overflow || sum > Int64(DispatchTime.latestFinite) { return .distantFuture }
        // Never 0: that would mean "now".
        return DispatchTime(uptimeNanoseconds: UInt64(max(1, sum)))
    }
}

extension DispatchTimeInterval {
    /// The interval between two deadlines on one clock, each below 2^62 or `UInt64.max` (never).
    package static func distance(from start: UInt64, to end: UInt64) -> DispatchTimeInterval {
        switch (start, end) {
        case (.max, .max): .nanoseconds(0)
        case (.max, _): .nanoseconds(.min)
        case (_, .max): .never
        default: .nanoseconds(Int(end) - Int(start))
        }
    }
}

/// `time` plus `interval`; `time + .never` is the distant future. Stands for `dispatch_time`.
public func + (time: DispatchTime, interval: DispatchTimeInterval) -> DispatchTime {
    time.advanced(byNanoseconds: interval.clampedNanoseconds)
}

/// `time` minus `interval`.
public func - (time: DispatchTime, interval: DispatchTimeInterval) -> DispatchTime {
    time.advanced(byNanoseconds: interval.clampedNanoseconds.clampedNegation)
}

/// `time` plus `seconds`; the distant future for not-a-number.
public func + (time: DispatchTime, seconds: Double) -> DispatchTime {
    time.advanced(byNanoseconds: DispatchTimeInterval.clampedNanoseconds(seconds: seconds))
}

/// `time` minus `seconds`; the distant future for not-a-number.
public func - (time: DispatchTime, seconds: Double) -> DispatchTime {
    time.advanced(byNanoseconds: DispatchTimeInterval.clampedNanoseconds(seconds: -seconds))
}
