extension DispatchWallTime {
    /// This time plus `interval`, which may be negative.
    public func advanced(by interval: DispatchTimeInterval) -> DispatchWallTime {
        advanced(byNanoseconds: interval.clampedNanoseconds)
    }

    /// The interval from this time to `other`; negative if `other` is earlier.
    ///
    /// `.never` if only `other` is ``distantFuture``, `.nanoseconds(.min)` if only this time is,
    /// zero if both are.
    public func distance(to other: DispatchWallTime) -> DispatchTimeInterval {
        .distance(from: realtimeDeadline, to: other.realtimeDeadline)
    }

    package func advanced(byNanoseconds delta: Int64) -> DispatchWallTime {
        if self == .distantFuture { return self }
        let start = Int64(realtimeDeadline)
        // `start` is positive, so the sum can only overflow upwards.
        let (sum, overflow) = start.addingReportingOverflow(delta)
        return DispatchWallTime(nanosecondsSince1970: overflow ? .max : sum)
    }
}

/// `time` plus `interval`; `time + .never` is the distant future. Stands for `dispatch_time`.
public func + (time: DispatchWallTime, interval: DispatchTimeInterval) -> DispatchWallTime {
    time.advanced(byNanoseconds: interval.clampedNanoseconds)
}

/// `time` minus `interval`.
public func - (time: DispatchWallTime, interval: DispatchTimeInterval) -> DispatchWallTime {
    time.advanced(byNanoseconds: interval.clampedNanoseconds.clampedNegation)
}

/// `time` plus `seconds`; the distant future for not-a-number.
public func + (time: DispatchWallTime, seconds: Double) -> DispatchWallTime {
    time.advanced(byNanoseconds: DispatchTimeInterval.clampedNanoseconds(seconds: seconds))
}

/// `time` minus `seconds`; the distant future for not-a-number.
public func - (time: DispatchWallTime, seconds: Double) -> DispatchWallTime {
    time.advanced(byNanoseconds: DispatchTimeInterval.clampedNanoseconds(seconds: -seconds))
}
