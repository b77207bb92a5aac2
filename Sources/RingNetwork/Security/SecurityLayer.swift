/// What is between a connection and its socket and turns plaintext into what the wire carries, and
/// back. It sends nothing itself: what the peer is to get is appended to `output`, also where it
/// fails. Belongs to the connection's queue.
class SecurityLayer {
    /// What follows from received bytes.
    enum Progress {
        case goesOn
        /// The peer sends nothing more.
        case ended
        case failed(TLSFailure)
    }

    /// Nothing can be encrypted yet.
    var isHandshaking: Bool { false }

    /// Begins the handshake.
    func start(output: inout [UInt8]) -> TLSFailure? { nil }

    /// What the wire brought; its plaintext is appended.
    func receive(
        _ bytes: UnsafeRawBufferPointer, output: inout [UInt8], plaintext: inout [UInt8]
    ) -> Progress { .goesOn }

    /// The wire has ended. Why this must not be; nil: the peer has said so before.
    func receiveEnd() -> TLSFailure? { nil }

    func encrypt(_ bytes: UnsafeRawBufferPointer, output: inout [UInt8]) -> TLSFailure? { nil }

    /// Tells the peer that nothing more comes.
    func close(output: inout [UInt8]) {}
}
