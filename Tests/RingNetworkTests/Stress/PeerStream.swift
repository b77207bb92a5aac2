import Glibc
import RingNetwork

#if TLS
import RingTLS
#endif

/// The peer's end of a connection: a blocking socket, perhaps with TLS.
final class PeerStream {
    enum Received {
        case bytes([UInt8])
        case end
        /// An errno.
        case failed(Int32)
    }

    /// Twice the longest time between two attempts of TCP.
    private static let mostWaits = 12

    let wire: Wire
    /// Called whenever nothing has arrived for 20 s.
    var stalled: () -> Void = {}

    init(_ wire: Wire) { self.wire = wire }

    /// Ends the stream in order.
    func end() { _ = send([], ends: true) }

    private func receiveFromSocket(_ count: Int) -> Received {
        var bytes = [UInt8](repeating: 0, count: count)
        while true {
            var entry = pollfd(fd: wire.descriptor, events: Int16(POLLIN), revents: 0)
            var waits = 0
            while poll(&entry, 1, 20_000) == 0 {
                stalled()
                waits += 1
                if waits == PeerStream.mostWaits { return .failed(ETIMEDOUT) }
            }
            let result = recv(wire.descriptor, &bytes, count, 0)
            if result > 0 { return .bytes(Array(bytes[..<result])) }
            if result == 0 { return .end }
            if errno != EINTR { return .failed(errno) }
        }
    }

    #if TLS
    private var engine: TLSEngine?

    private static let contexts = Result {
        (
            client: try TLSContext(clientConfiguration()),
            server: try TLSContext(serverConfiguration())
        )
    }

    /// Uses TLS, on both sides.
    func secure(_ connection: Connection) {
        do {
            let contexts = try PeerStream.contexts.get()
            try connection.secure(with: contexts.server)
            engine = try TLSEngine(context: contexts.client, serverName: "localhost")
        } catch {
            fatalError("\(error)")
        }
    }

    /// Shakes hands, if necessary.
    func begin() -> Bool {
        guard let engine else { return true }
        var output: [UInt8] = []
        guard (try? engine.startHandshake(output: &output)) != nil else { return false }
        while true {
            if !wire.send(output) { return false }
            output = []
            if engine.state == .established { return true }
            guard case .bytes(let bytes) = receiveFromSocket(1000),
                (try? decrypt(bytes, engine, &output)) == []
            else { return false }
        }
    }

    private func decrypt(
        _ bytes: [UInt8], _ engine: TLSEngine, _ output: inout [UInt8]
    ) throws -> [UInt8] {
        var plaintext: [UInt8] = []
        try bytes.withUnsafeBytes {
            try engine.receive($0, output: &output) { plaintext.append(contentsOf: $0) }
        }
        return plaintext
    }

    /// Sends the bytes, perhaps with the end of the stream, by one call of the kernel.
    func send(_ bytes: [UInt8], ends: Bool = false) -> Bool {
        var output = bytes
        if let engine {
            output = []
            do { try bytes.withUnsafeBytes { try engine.send($0, output: &output) } } catch {
                return false
            }
            if ends { engine.close(output: &output) }
        }
        let isSent = wire.send(output)
        if ends { wire.closeOutput() }
        return isSent
    }

    /// Receives from one byte to `count` bytes of the socket, or of TLS what they bring.
    func receive(_ count: Int) -> Received {
        while true {
            let received = receiveFromSocket(count)
            guard let engine else { return received }
            switch received {
            case .failed: return received
            case .end: return (try? engine.receiveEnd()) == nil ? .failed(EPROTO) : .end
            case .bytes(let bytes):
                var output: [UInt8] = []
                guard let plaintext = try? decrypt(bytes, engine, &output) else {
                    return .failed(EPROTO)
                }
                if !plaintext.isEmpty { return .bytes(plaintext) }
            }
        }
    }
    #else
    func secure(_ connection: Connection) {}

    func begin() -> Bool { true }

    func send(_ bytes: [UInt8], ends: Bool = false) -> Bool {
        let isSent = wire.send(bytes)
        if ends { wire.closeOutput() }
        return isSent
    }

    func receive(_ count: Int) -> Received { receiveFromSocket(count) }
    #endif
}
