internal import LinuxPlatform

extension SwiftJob {
    /// Queues it on the event loops after a delay.
    /// - Parameter leeway: the most that it may be late, both in nanoseconds.
    package func enqueue(
        _ words: UnsafeMutableRawBufferPointer, after delay: UInt64, leeway: UInt64
    ) {
        let workItem = workItem(words)
        let queue = GlobalQueues.queue(priority: workItem.pointee.priority)
        let (deadline, isNever) = MonotonicClock.nanoseconds().addingReportingOverflow(delay)
        let window = TimerWindow(deadline: isNever ? .max - 1 : deadline, leeway: leeway)
        queue.add(workItem, window, on: .monotonic, Context.current)
    }
}
