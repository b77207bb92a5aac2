/// A queue's value and its key, which is retained so that its identity is not reused.
final class QueueSpecific: Sendable {
    // Safety: as in GCD, the program ensures that the value may be shared.
    nonisolated(unsafe) let value: Any
    private nonisolated(unsafe) let key: AnyObject

    init(value: Any, key: AnyObject) {
        self.value = value
        self.key = key
    }
}
