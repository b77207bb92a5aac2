extension DispatchWallTime {
    /// The time that lies `interval` after this one, or before it when `interval` is negative.
    /// Saturates as described at ``DispatchWallTime``.
    public func advanced(by interval: DispatchTimeInterval) -> DispatchWallTime {
        advanced(byNanoseconds: interval.clampedNanoseconds)
    }

    /// How long it is from this time to `other`; negative when `other` is the earlier one.
    ///
    /// `.never` when only `other` is ``distantFuture``, `.nanoseconds(.min)` when only this time
    /// is, and zero when both are.
    public func distance(to other: DispatchWallTime) -> DispatchTimeInterval {
        .distance(from: realtimeDeadline, to: other.realtimeDeadline)
    }

    package func advanced(byNanoseconds delta: Int64) -> DispatchWallTime {
        if self == .distantFuture { return self }
        let start = Int64(realtimeDeadline)
        // `start` is positive, so only a sum that is too large can overflow.
        let (sum, overflow) = start.addingReportingOverflow(delta)
        return DispatchWallTime(nanosecondsSince1970: overflow ? .max : sum)
    }
}

/// The time that lies `interval` after `time`; `time + .never` is the distant future. Saturates as
/// described at ``DispatchWallTime``. Stands for `dispatch_time`.
public func + (time: DispatchWallTime, interval: DispatchTimeInterval) -> DispatchWallTime {
    time.advanced(byNanoseconds: interval.clampedNanoseconds)
}

/// The time that lies `interval` before `time`. Saturates as described at ``DispatchWallTime``.
public func - (time: DispatchWallTime, interval: DispatchTimeInterval) -> DispatchWallTime {
    time.advanced(byNanoseconds: interval.clampedNanoseconds.clampedNegation)
}

/// The time that lies `seconds` after `time`. Saturates as described at ``DispatchWallTime``;
/// not-a-number gives the distant future.
public func + (time: DispatchWallTime, seconds: Double) -> DispatchWallTime {
    time.advanced(byNanoseconds: DispatchTimeInterval.clampedNanoseconds(seconds: seconds))
}

/// The time that lies `seconds` before `time`. Saturates as described at ``DispatchWallTime``;
/// not-a-number gives the distant future.
public func - (time: DispatchWallTime, seconds: Double) -> DispatchWallTime {
    time.advanced(byNanoseconds: DispatchTimeInterval.clampedNanoseconds(seconds: -seconds))
}
