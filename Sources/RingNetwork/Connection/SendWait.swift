/// A task that waits for its bytes to be sent. Touched on the connection's queue only.
final class SendWait: @unchecked Sendable {
    // Safety: see above; the task itself only creates it and hands it to the queue.
    var continuation: CheckedContinuation<Void, any Error>?
    var isCancelled = false

    func finish(_ error: (any Error)?) {
        guard let continuation = continuation.take() else { return }
        if let error { continuation.resume(throwing: error) } else { continuation.resume() }
    }
}
