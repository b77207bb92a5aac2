internal import LinuxPlatform

extension DispatchRuntime {
    /// Reports each handler and item of a worker thread that runs for longer than a threshold,
    /// once. This covers queues that keep blocking, but neither the main queue nor blocks that
    /// `sync` runs on threads of the program. `RINGDISPATCH_STALLS` does the same with lines on
    /// standard error, or of the logger of `setLogger`.
    ///
    /// Meanwhile a handler that stays keeps one thread of the runtime awake, once a millisecond,
    /// until it is reported or has returned.
    /// - Parameters:
    ///   - threshold: at least 10 milliseconds; `.never` ends the reports.
    ///   - queue: the queue of the handler. Choose one that the program does not block.
    ///   - handler: replaces an earlier one.
    public static func reportStalls(
        after threshold: DispatchTimeInterval, on queue: DispatchQueue,
        handler: @escaping @Sendable (Stall) -> Void
    ) {
        guard threshold != .never else { return report(after: 0, to: nil) }
        let nanoseconds = UInt64(max(0, threshold.clampedNanoseconds))
        let least = UInt64(Configuration.stallRange.lowerBound) * 1_000_000
        guard nanoseconds >= least else {
            fatalMisuse(
                "DispatchRuntime.reportStalls: the threshold \(threshold) is less than 10 ms")
        }
        let client: StallWatch.Client = { stall in queue.async { handler(stall) } }
        report(after: nanoseconds, to: client)
    }

    /// Reports long handlers and items, with the threshold as a `Duration`.
    @_disfavoredOverload
    public static func reportStalls(
        after threshold: Duration, on queue: DispatchQueue,
        handler: @escaping @Sendable (Stall) -> Void
    ) {
        reportStalls(after: DispatchTimeInterval(threshold), on: queue, handler: handler)
    }

    private static func report(after nanoseconds: UInt64, to client: StallWatch.Client?) {
        let old = StallWatch.report(after: nanoseconds, to: client)
        // Not here: this may end objects of the program.
        DispatchQueue.global().async { withExtendedLifetime(old) {} }
    }
}
