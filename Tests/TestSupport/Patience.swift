import Glibc
package import RingDispatch
package import Testing

/// How long a test waits for what must happen, on a machine that is busy with other things.
package enum Patience {
    package static let seconds = isThreadSanitized || isAddressSanitized || isDeep ? 240 : 30

    /// For the library's own waits: a test that has to wait this long has failed.
    package static var deadline: DispatchTime { .now() + .seconds(seconds) }

    /// How long a stress test waits for its threads, whose work takes long on a busy machine.
    package static let joinSeconds = max(150, 2 * seconds)

    /// How long a test waits while something must not happen. A short wait can only miss a failure,
    /// never invent one.
    package static let glanceMilliseconds = 50
}

/// Waits until the watched value meets the condition, or records a failure at the caller's line.
@discardableResult
package func expectEventually<Value>(
    _ watched: Watched<Value>, _ comment: Comment? = nil,
    sourceLocation: SourceLocation = #_sourceLocation, _ condition: (Value) -> Bool
) -> Bool {
    let holds = watched.wait(seconds: Patience.seconds, until: condition)
    #expect(
        holds, comment ?? "after \(Patience.seconds) s the value is \(watched.value)",
        sourceLocation: sourceLocation)
    return holds
}

/// Waits until the gate is open, or records a failure at the caller's line.
@discardableResult
package func expectOpens(
    _ gate: Gate, _ comment: Comment? = nil, sourceLocation: SourceLocation = #_sourceLocation
) -> Bool {
    let opened = gate.waitUntilOpen(seconds: Patience.seconds)
    #expect(
        opened, comment ?? "nobody opened the gate within \(Patience.seconds) s",
        sourceLocation: sourceLocation)
    return opened
}

/// Polls a condition that has no notification. False if it never became true.
package func poll(until condition: () -> Bool) -> Bool {
    for _ in 0..<(Patience.seconds * 1000) {
        if condition() { return true }
        letTimePass(milliseconds: 1)
    }
    return false
}

/// Repeats a round that a busy machine may disturb. False if the round never was as it should be.
package func holdsInSomeRound(_ round: () -> Bool) -> Bool {
    let end = Patience.deadline
    repeat {
        if round() { return true }
    } while .now() < end
    return false
}

/// Waits for a moment, and records a failure if the watched value is not `expected` then.
package func expectStays<Value: Equatable>(
    _ watched: Watched<Value>, at expected: Value, _ comment: Comment? = nil,
    sourceLocation: SourceLocation = #_sourceLocation
) {
    letTimePass(milliseconds: Patience.glanceMilliseconds)
    #expect(watched.value == expected, comment, sourceLocation: sourceLocation)
}

/// Waits until everything that was queued on a serial queue before has run.
package func drain(_ queue: DispatchQueue, sourceLocation: SourceLocation = #_sourceLocation) {
    let reached = Gate()
    queue.async { reached.open() }
    expectOpens(reached, "the queue did not drain", sourceLocation: sourceLocation)
}

/// Lets the clock advance, for tests about time; never used to order threads.
package func letTimePass(milliseconds: Int) {
    letTimePass(until: .now() + .milliseconds(milliseconds))
}

/// Lets the clock advance up to `time`.
package func letTimePass(until time: DispatchTime) {
    while true {
        let now = DispatchTime.now().uptimeNanoseconds
        if now >= time.uptimeNanoseconds { return }
        let rest = Int(time.uptimeNanoseconds - now)
        var span = timespec(tv_sec: rest / 1_000_000_000, tv_nsec: rest % 1_000_000_000)
        nanosleep(&span, nil)
    }
}
