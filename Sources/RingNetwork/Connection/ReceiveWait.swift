/// A task that waits for bytes. Used only on the connection's queue.
final class ReceiveWait: @unchecked Sendable {
    // Safety: the task only creates it and passes it to the queue.
    /// The number of bytes to wait for; nil: any.
    let exactly: Int?
    var continuation: CheckedContinuation<[UInt8]?, any Error>?
    var isCancelled = false

    init(exactly: Int?) { self.exactly = exactly }

    func finish(_ result: Result<[UInt8]?, any Error>) {
        continuation.take()?.resume(with: result)
    }
}
