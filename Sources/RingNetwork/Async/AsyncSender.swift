/// A task that waits until a connection is writable.
struct AsyncSender {
    /// Of the wait.
    let number: UInt64
    let continuation: UnsafeContinuation<Void, Never>
}
