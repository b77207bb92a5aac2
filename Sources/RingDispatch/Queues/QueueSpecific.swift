/// A queue's value and its key, which is retained so that its identity is not reused.
struct QueueSpecific: @unchecked Sendable {
    // Safety: as in GCD, the program ensures that the value may be shared.
    let value: Any
    let key: AnyObject
}
