/// Scheduling methods from before Swift 4, each equivalent to a form of `schedule`.
extension DispatchSourceTimer {
    /// Fires once. `dispatch_source_set_timer` with an interval of `DISPATCH_TIME_FOREVER`.
    @available(swift, deprecated: 4, renamed: "schedule(deadline:repeating:leeway:)")
    public func scheduleOneshot(
        deadline: DispatchTime, leeway: DispatchTimeInterval = .nanoseconds(0)
    ) {
        schedule(deadline: deadline, repeating: .never, leeway: leeway)
    }

    /// Fires once, by the wall clock.
    @available(swift, deprecated: 4, renamed: "schedule(wallDeadline:repeating:leeway:)")
    public func scheduleOneshot(
        wallDeadline: DispatchWallTime, leeway: DispatchTimeInterval = .nanoseconds(0)
    ) {
        schedule(wallDeadline: wallDeadline, repeating: .never, leeway: leeway)
    }

    /// Fires at the deadline and after each interval. `dispatch_source_set_timer`.
    @available(swift, deprecated: 4, renamed: "schedule(deadline:repeating:leeway:)")
    public func scheduleRepeating(
        deadline: DispatchTime, interval: DispatchTimeInterval,
        leeway: DispatchTimeInterval = .nanoseconds(0)
    ) {
        schedule(deadline: deadline, repeating: interval, leeway: leeway)
    }

    /// Fires at the deadline and after each interval, given in seconds.
    @available(swift, deprecated: 4, renamed: "schedule(deadline:repeating:leeway:)")
    public func scheduleRepeating(
        deadline: DispatchTime, interval: Double, leeway: DispatchTimeInterval = .nanoseconds(0)
    ) {
        schedule(deadline: deadline, repeating: interval, leeway: leeway)
    }

    /// Fires at the wall-clock deadline and after each interval.
    @available(swift, deprecated: 4, renamed: "schedule(wallDeadline:repeating:leeway:)")
    public func scheduleRepeating(
        wallDeadline: DispatchWallTime, interval: DispatchTimeInterval,
        leeway: DispatchTimeInterval = .nanoseconds(0)
    ) {
        schedule(wallDeadline: wallDeadline, repeating: interval, leeway: leeway)
    }

    /// Fires at the wall-clock deadline and after each interval, given in seconds.
    @available(swift, deprecated: 4, renamed: "schedule(wallDeadline:repeating:leeway:)")
    public func scheduleRepeating(
        wallDeadline: DispatchWallTime, interval: Double,
        leeway: DispatchTimeInterval = .nanoseconds(0)
    ) {
        schedule(wallDeadline: wallDeadline, repeating: interval, leeway: leeway)
    }
}
