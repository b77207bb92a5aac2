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

/// The forms without all parameters. None has a requirement's signature: a type that conforms and
/// omits a requirement would call itself.
extension DispatchSourceTimer {
    /// Sets or replaces the schedule, without leeway.
    public func schedule(
        deadline: DispatchTime, repeating interval: DispatchTimeInterval = .never
    ) {
        schedule(deadline: deadline, repeating: interval, leeway: .nanoseconds(0))
    }

    /// The same, with the interval in seconds; `.infinity` fires once.
    public func schedule(deadline: DispatchTime, repeating interval: Double) {
        schedule(deadline: deadline, repeating: interval, leeway: .nanoseconds(0))
    }

    /// Fires once.
    public func schedule(deadline: DispatchTime, leeway: DispatchTimeInterval) {
        schedule(deadline: deadline, repeating: .never, leeway: leeway)
    }

    /// By the wall clock, without leeway.
    public func schedule(
        wallDeadline: DispatchWallTime, repeating interval: DispatchTimeInterval = .never
    ) {
        schedule(wallDeadline: wallDeadline, repeating: interval, leeway: .nanoseconds(0))
    }

    /// By the wall clock, with the interval in seconds; `.infinity` fires once.
    public func schedule(wallDeadline: DispatchWallTime, repeating interval: Double) {
        schedule(wallDeadline: wallDeadline, repeating: interval, leeway: .nanoseconds(0))
    }

    /// Fires once, by the wall clock.
    public func schedule(wallDeadline: DispatchWallTime, leeway: DispatchTimeInterval) {
        schedule(wallDeadline: wallDeadline, repeating: .never, leeway: leeway)
    }
}
