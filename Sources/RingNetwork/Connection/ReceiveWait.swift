/// A task that waits for bytes. Touched on the connection's queue only.
final class ReceiveWait: @unchecked Sendable {
    // Safety: see above; the task itself only creates it and hands it to the queue.
    /// Exactly so many bytes; nil: as many as there are.
    let exactly: Int?
    var continuation: CheckedContinuation<[UInt8]?, any Error>?
    var isCancelled = false

    init(exactly: Int?) { self.exactly = exactly }

    func finish(_ result: Result<[UInt8]?, any Error>) {
        continuation.take()?.resume(with: result)
    }
}
