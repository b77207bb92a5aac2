/// Called once: with nil when the kernel has taken all bytes of a send, or with the error that
/// prevents it.
struct SendCompletion: Sendable {
    // Safety: made by the caller of `send`, and called only on the connection's queue.
    private nonisolated(unsafe) let block: (SocketError?) -> Void

    init(_ block: @escaping (SocketError?) -> Void) { self.block = block }

    func call(_ error: SocketError?) { block(error) }
}
