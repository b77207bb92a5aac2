/// A task that waits until its bytes are sent. Used only on the connection's queue.
final class SendWait: @unchecked Sendable {
    // Safety: the task only creates it and passes it to the queue.
    var continuation: CheckedContinuation<Void, any Error>?
    var isCancelled = false

    func finish(_ error: (any Error)?) {
        guard let continuation = continuation.take() else { return }
        if let error { continuation.resume(throwing: error) } else { continuation.resume() }
    }
}
