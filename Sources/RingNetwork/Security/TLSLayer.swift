#if TLS
internal import RingDispatch
internal import RingTLS

/// TLS for a connection: an engine, and limits on the work that a peer can cause.
final class TLSLayer: SecurityLayer {
    let engine: TLSEngine
    /// Handshake bytes received.
    private var handshakeBytes = 0
    /// Bytes received since the last plaintext.
    private var idleBytes = 0

    /// Exceeds every valid handshake: the engine accepts certificates of up to 64 KiB.
    private static let handshakeLimit = 256 * 1024
    /// Bytes accepted without plaintext: tickets, key updates, empty records. A partial record
    /// takes up to 17 KiB.
    private static let idleLimit = 128 * 1024

    init(_ engine: TLSEngine) { self.engine = engine }

    override var isHandshaking: Bool { engine.state == .handshaking }

    override func start(output: inout [UInt8]) -> TLSFailure? {
        failure { try engine.startHandshake(output: &output) }
    }

    override func receive(
        _ bytes: UnsafeRawBufferPointer, output: inout [UInt8], into memory: ThreadMemory,
        count: inout Int
    ) -> Progress {
        let error = engine.receive(bytes, output: &output, into: memory.bytes, count: &count)
        if let error { return .failed(TLSFailure(error)) }
        if engine.state == .handshaking {
            handshakeBytes += bytes.count
            if handshakeBytes > TLSLayer.handshakeLimit {
                return .failed(
                    TLSFailure(
                        "the peer sent over \(TLSLayer.handshakeLimit) bytes of TLS handshake; "
                            + "check which program it is"))
            }
        } else if count > 0 {
            idleBytes = 0
        } else {
            idleBytes += bytes.count
            if idleBytes > TLSLayer.idleLimit {
                return .failed(
                    TLSFailure(
                        "the peer sent over \(TLSLayer.idleLimit) bytes of TLS without content, "
                            + "such as key updates; check which program it is"))
            }
        }
        return engine.state == .peerClosed || engine.state == .closed ? .ended : .goesOn
    }

    private func failure(_ body: () throws -> Void) -> TLSFailure? {
        do {
            try body()
            return nil
        } catch {
            return TLSFailure(error)
        }
    }

    override func receiveEnd() -> TLSFailure? {
        failure { try engine.receiveEnd() }
    }

    override func encrypt(
        _ bytes: UnsafeRawBufferPointer, output: inout [UInt8]
    ) -> TLSFailure? {
        failure { try engine.send(bytes, output: &output) }
    }

    override func encrypt(
        _ bytes: UnsafeRawBufferPointer, into memory: ThreadMemory, count: inout Int,
        output: inout [UInt8]
    ) -> TLSFailure? {
        failure { count = try engine.send(bytes, into: memory.bytes, output: &output) }
    }

    override func close(output: inout [UInt8]) { engine.close(output: &output) }
}
#endif
