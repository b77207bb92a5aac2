extension DispatchSource {
    /// A timer for `for await`: each element says how often it has fired since the last one, at
    /// least once.
    ///
    /// It fires for the first time one interval after this call, and until the last copy of the
    /// sequence and of its iterators is released. The sequence ends when the task is cancelled. A
    /// task that is slow misses no count, and nothing piles up.
    /// - Parameters:
    ///   - interval: between two times; does not drift. `.never`: it never fires. 0 fires without a
    ///     pause, and a negative one ends the process.
    ///   - leeway: how late a time may be, to save wake-ups.
    public static func timer(
        every interval: DispatchTimeInterval, leeway: DispatchTimeInterval = .nanoseconds(0)
    ) -> EventSequence<UInt> {
        EventSequence(
            events: SourceEvents(label: "ringdispatch.timer-sequence") { queue in
                let source = makeTimerSource(queue: queue)
                source.schedule(deadline: .now() + interval, repeating: interval, leeway: leeway)
                return [source]
            } add: { count, source in
                count = [(count?.first ?? 0) + source.data]
            })
    }

    /// A timer for `for await`, with its times as `Duration`s.
    @_disfavoredOverload
    public static func timer(
        every interval: Duration, leeway: Duration = .zero
    ) -> EventSequence<UInt> {
        timer(every: DispatchTimeInterval(interval), leeway: DispatchTimeInterval(leeway))
    }
}
