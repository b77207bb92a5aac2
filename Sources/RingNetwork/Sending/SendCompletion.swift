/// Called once when the kernel has taken all bytes of a send (nil), or never will.
struct SendCompletion: @unchecked Sendable {
    // Safety: made by the caller of `send`, and called on the connection's queue only.
    private let block: (SocketError?) -> Void

    init(_ block: @escaping (SocketError?) -> Void) { self.block = block }

    func call(_ error: SocketError?) { block(error) }
}
