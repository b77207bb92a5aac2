/// The ways to schedule a timer from before Swift 4; each is one of the ways of `schedule`.
extension DispatchSourceTimer {
    /// One fire. `dispatch_source_set_timer` with an interval of `DISPATCH_TIME_FOREVER`.
    @available(swift, deprecated: 4, renamed: "schedule(deadline:repeating:leeway:)")
    public func scheduleOneshot(
        deadline: DispatchTime, leeway: DispatchTimeInterval = .nanoseconds(0)
    ) {
        schedule(deadline: deadline, repeating: .never, leeway: leeway)
    }

    /// One fire, by the wall clock.
    @available(swift, deprecated: 4, renamed: "schedule(wallDeadline:repeating:leeway:)")
    public func scheduleOneshot(
        wallDeadline: DispatchWallTime, leeway: DispatchTimeInterval = .nanoseconds(0)
    ) {
        schedule(wallDeadline: wallDeadline, repeating: .never, leeway: leeway)
    }

    /// Fires at the deadline, and after each interval. `dispatch_source_set_timer`.
    @available(swift, deprecated: 4, renamed: "schedule(deadline:repeating:leeway:)")
    public func scheduleRepeating(
        deadline: DispatchTime, interval: DispatchTimeInterval,
        leeway: DispatchTimeInterval = .nanoseconds(0)
    ) {
        schedule(deadline: deadline, repeating: interval, leeway: leeway)
    }

    /// The same with an interval in seconds.
    @available(swift, deprecated: 4, renamed: "schedule(deadline:repeating:leeway:)")
    public func scheduleRepeating(
        deadline: DispatchTime, interval: Double, leeway: DispatchTimeInterval = .nanoseconds(0)
    ) {
        schedule(deadline: deadline, repeating: interval, leeway: leeway)
    }

    /// Fires at the deadline by the wall clock, and after each interval.
    @available(swift, deprecated: 4, renamed: "schedule(wallDeadline:repeating:leeway:)")
    public func scheduleRepeating(
        wallDeadline: DispatchWallTime, interval: DispatchTimeInterval,
        leeway: DispatchTimeInterval = .nanoseconds(0)
    ) {
        schedule(wallDeadline: wallDeadline, repeating: interval, leeway: leeway)
    }

    /// The same with an interval in seconds.
    @available(swift, deprecated: 4, renamed: "schedule(wallDeadline:repeating:leeway:)")
    public func scheduleRepeating(
        wallDeadline: DispatchWallTime, interval: Double,
        leeway: DispatchTimeInterval = .nanoseconds(0)
    ) {
        schedule(wallDeadline: wallDeadline, repeating: interval, leeway: leeway)
    }
}
