import RingDispatch
import Testing

/// A value that another thread sets once, and that a test waits for.
final class Outcome<Value: Sendable>: @unchecked Sendable {
    // Safety: the semaphore is signalled after `value` was set, and `value` is read after the wait.
    private let isThere = DispatchSemaphore(value: 0)
    private var value: Value?

    func set(_ value: Value) {
        self.value = value
        isThere.signal()
    }

    func wait(sourceLocation: SourceLocation = #_sourceLocation) -> Value? {
        let result = isThere.wait(timeout: .now() + .seconds(Patience.seconds))
        #expect(result == .success, "no value was set", sourceLocation: sourceLocation)
        isThere.signal()
        return value
    }
}
