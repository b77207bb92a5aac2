internal import RingDispatch

/// The layer between a connection and its socket, which converts plaintext to wire bytes and back.
/// It does no I/O: bytes for the peer are appended to `output`, even by a call that fails. Belongs
/// to the connection's queue.
class SecurityLayer {
    /// The result of received bytes.
    enum Progress {
        case goesOn
        /// The peer has ended its stream.
        case ended
        case failed(TLSFailure)
    }

    /// Sent bytes that are not encrypted yet.
    final var unencrypted = OutgoingQueue()
    /// The layer has sent close_notify.
    final var isCloseNotified = false
    /// The error that kept the kernel from taking the program's bytes.
    final var sendError: SocketError?

    /// Whether nothing can be encrypted yet.
    var isHandshaking: Bool { false }

    func start(output: inout [UInt8]) -> TLSFailure? { nil }

    /// Processes bytes from the wire.
    /// - Parameters:
    ///   - memory: gets their plaintext.
    ///   - count: receives its length.
    func receive(
        _ bytes: UnsafeRawBufferPointer, output: inout [UInt8], into memory: ThreadMemory,
        count: inout Int
    ) -> Progress { .goesOn }

    /// Called at the end of the wire's stream. Returns a failure if the stream was truncated.
    func receiveEnd() -> TLSFailure? { nil }

    func encrypt(_ bytes: UnsafeRawBufferPointer, output: inout [UInt8]) -> TLSFailure? { nil }

    /// The same into memory. What has no room there is appended to `output`.
    func encrypt(
        _ bytes: UnsafeRawBufferPointer, into memory: ThreadMemory, count: inout Int,
        output: inout [UInt8]
    ) -> TLSFailure? { nil }

    /// Appends the layer's end of the stream (close_notify).
    func close(output: inout [UInt8]) {}
}
