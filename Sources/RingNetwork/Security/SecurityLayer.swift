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

    /// Whether nothing can be encrypted yet.
    var isHandshaking: Bool { false }

    func start(output: inout [UInt8]) -> TLSFailure? { nil }

    /// Processes bytes from the wire, and appends their plaintext.
    func receive(
        _ bytes: UnsafeRawBufferPointer, output: inout [UInt8], plaintext: inout [UInt8]
    ) -> Progress { .goesOn }

    /// Called at the end of the wire's stream. Returns a failure if the stream was truncated.
    func receiveEnd() -> TLSFailure? { nil }

    func encrypt(_ bytes: UnsafeRawBufferPointer, output: inout [UInt8]) -> TLSFailure? { nil }

    /// Appends the layer's end of the stream (close_notify).
    func close(output: inout [UInt8]) {}
}
