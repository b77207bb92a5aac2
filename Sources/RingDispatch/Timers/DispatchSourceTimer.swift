/// A source that fires at scheduled times. `data` counts the fires since the handler's last call.
/// `DISPATCH_SOURCE_TYPE_TIMER`.
public protocol DispatchSourceTimer: DispatchSourceProtocol {
    /// Sets or replaces the schedule, and drops fires that the handler has not seen.
    /// `dispatch_source_set_timer`.
    /// - Parameters:
    ///   - deadline: the first fire; repeats are multiples of the interval later.
    ///   - interval: the time between fires; `.never` fires once, 0 counts as 1 ns. A negative one
    ///     ends the process.
    ///   - leeway: how much later each fire may be, so that timers can fire together; for repeating
    ///     timers at most half the interval. `.never`: none. A negative one ends the process.
    func schedule(
        deadline: DispatchTime, repeating interval: DispatchTimeInterval,
        leeway: DispatchTimeInterval)
    /// The same, with the interval in seconds; `.infinity` fires once.
    func schedule(deadline: DispatchTime, repeating interval: Double, leeway: DispatchTimeInterval)
    /// By the wall clock: the fires move when the clock is set.
    func schedule(
        wallDeadline: DispatchWallTime, repeating interval: DispatchTimeInterval,
        leeway: DispatchTimeInterval)
    /// By the wall clock, with the interval in seconds; `.infinity` fires once.
    func schedule(
        wallDeadline: DispatchWallTime, repeating interval: Double, leeway: DispatchTimeInterval)
}

extension DispatchSourceTimer {
    public func schedule(
        deadline: DispatchTime, repeating interval: DispatchTimeInterval = .never,
        leeway: DispatchTimeInterval = .nanoseconds(0)
    ) {
        schedule(deadline: deadline, repeating: interval, leeway: leeway)
    }

    public func schedule(
        deadline: DispatchTime, repeating interval: Double,
        leeway: DispatchTimeInterval = .nanoseconds(0)
    ) {
        schedule(deadline: deadline, repeating: interval, leeway: leeway)
    }

    public func schedule(
        wallDeadline: DispatchWallTime, repeating interval: DispatchTimeInterval = .never,
        leeway: DispatchTimeInterval = .nanoseconds(0)
    ) {
        schedule(wallDeadline: wallDeadline, repeating: interval, leeway: leeway)
    }

    public func schedule(
        wallDeadline: DispatchWallTime, repeating interval: Double,
        leeway: DispatchTimeInterval = .nanoseconds(0)
    ) {
        schedule(wallDeadline: wallDeadline, repeating: interval, leeway: leeway)
    }
}
