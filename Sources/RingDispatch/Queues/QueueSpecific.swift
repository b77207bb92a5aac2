/// A queue's value and its key. Retaining the key keeps its identity from being reused.
struct QueueSpecific: @unchecked Sendable {
    // Safety: the value is shared with all callers, as in GCD; the program ensures that this is
    // safe.
    let value: Any
    let key: AnyObject
}
