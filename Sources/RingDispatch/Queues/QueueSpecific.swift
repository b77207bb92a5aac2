/// A queue's value, and the key it belongs to, whose identity must not be used again meanwhile.
struct QueueSpecific: @unchecked Sendable {
    // Safety: the value is handed to whoever asks, as in GCD; the program sees to its safety.
    let value: Any
    let key: AnyObject
}
