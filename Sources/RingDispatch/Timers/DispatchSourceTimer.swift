/// `data` is how often the timer fired. `DISPATCH_SOURCE_TYPE_TIMER`.
public protocol DispatchSourceTimer: DispatchSourceProtocol {
    /// Sets or replaces the schedule; what came due under the old one is dropped.
    /// `dispatch_source_set_timer`.
    /// - Parameters:
    ///   - deadline: the first time; repeats keep to its rhythm.
    ///   - interval: time between fires; `.never`: one fire only.
    ///   - leeway: how much later each may come, so that timers fire together.
    func schedule(
        deadline: DispatchTime, repeating interval: DispatchTimeInterval,
        leeway: DispatchTimeInterval)
    func schedule(deadline: DispatchTime, repeating interval: Double, leeway: DispatchTimeInterval)
    func schedule(
        wallDeadline: DispatchWallTime, repeating interval: DispatchTimeInterval,
        leeway: DispatchTimeInterval)
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
