internal import LinuxPlatform

/// A condition for `dispatchPrecondition`.
public enum DispatchPredicate: Sendable {
    /// The caller runs on the queue, or on one that targets it.
    case onQueue(DispatchQueue)
    /// The caller runs on the queue as its only item.
    case onQueueAsBarrier(DispatchQueue)
    /// The caller does not run on the queue.
    case notOnQueue(DispatchQueue)
}

/// Ends the process unless the condition holds; the message names the call site.
/// `dispatch_assert_queue`.
public func dispatchPrecondition(
    condition: @autoclosure () -> DispatchPredicate, file: StaticString = #file, line: UInt = #line
) {
    let context = Context.current
    func isOn(_ queue: DispatchQueue) -> Bool {
        queue.isHeld(by: context) || Deadlock.isOn(queue, context)
    }
    func fail(_ expectation: String) -> Never {
        let here = DispatchQueue.currentLabel
        let place = here.isEmpty ? "on no queue" : "on queue '\(here)'"
        fatalMisuse(
            "dispatchPrecondition at \(file):\(line): expected \(expectation); "
                + "the caller is \(place)")
    }
    switch condition() {
    case .onQueue(let queue):
        guard isOn(queue) else { fail("queue '\(queue.label)'") }
    case .onQueueAsBarrier(let queue):
        guard isOn(queue), queue.isSerial || queue.isHeld(by: context) else {
            fail("queue '\(queue.label)' as a barrier")
        }
    case .notOnQueue(let queue):
        guard !isOn(queue) else { fail("not to be on queue '\(queue.label)'") }
    }
}
