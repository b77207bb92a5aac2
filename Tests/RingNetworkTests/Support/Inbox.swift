import RingNetwork

/// What a connection receives from now on. Blocks, so it is not for connections that share the
/// thread.
final class Inbox: Sendable {
    private struct Content {
        var bytes: [UInt8] = []
        var hasEnded = false
    }

    private let content = Watched(Content())

    init(_ connection: Connection) {
        connection.setEndHandler { [content] _ in content.update { $0.hasEnded = true } }
        connection.setReceiveHandler { [content] _, span in
            span.withUnsafeBytes { bytes in content.update { $0.bytes += Array(bytes) } }
        }
    }

    /// Exactly so many bytes, or fewer if the stream has ended or time is up.
    func receive(exactly count: Int) -> [UInt8] {
        _ = content.wait(seconds: Patience.seconds) { $0.bytes.count >= count || $0.hasEnded }
        var taken: [UInt8] = []
        content.update {
            taken = Array($0.bytes.prefix(count))
            $0.bytes.removeFirst(taken.count)
        }
        return taken
    }

    /// All bytes up to the end of the stream; nil if it does not end.
    func receiveAll() -> [UInt8]? {
        let hasEnded = content.wait(seconds: Patience.seconds) { $0.hasEnded }
        return hasEnded ? content.value.bytes : nil
    }
}
