/// A queue's value and its key, which is retained so that its identity is not reused.
struct QueueSpecific: Sendable {
    // Safety: as in GCD, the program ensures that the value may be shared.
    nonisolated(unsafe) let value: Any
    nonisolated(unsafe) let key: AnyObject
}
