import Glibc

/// A pair of sockets whose bytes name the pair. `near` is for the object under test, which closes
/// it; its number then names another pair's file, while duplicates may keep this one open.
package final class Generation: @unchecked Sendable {
    // Safety: used by one thread, except for the constants.
    package let near: Int32
    private let far: Int32
    private let number: UInt64
    /// Keeps the near end's file open.
    private var duplicate: Int32 = -1

    /// - Parameter number: unique in the process.
    package init(number: Int, using generator: inout SeededGenerator) {
        self.number = UInt64(number)
        // Children inherit every other pair, and keep it open until they end.
        let flags = Bool.random(using: &generator) ? SOCK_CLOEXEC.rawValue : 0
        var pair: [Int32] = [-1, -1]
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | flags)
        precondition(socketpair(AF_UNIX, kind, 0, &pair) == 0, "errno \(errno)")
        (near, far) = (pair[0], pair[1])
        if Bool.random(using: &generator) { duplicate = fcntl(near, F_DUPFD_CLOEXEC, 0) }
    }

    deinit {
        close(far)
        if duplicate >= 0 { close(duplicate) }
    }

    /// Sends the pair's number.
    package func send(times: Int) {
        let words = [UInt64](repeating: number, count: times)
        _ = words.withUnsafeBytes {
            Glibc.send(far, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
        }
    }

    /// The near end has no more to read, even if others have the far end, too.
    package func endOutput() { shutdown(far, Int32(SHUT_WR)) }

    /// The number of times that the bytes name this pair; nil if they name another one.
    package func count(in bytes: UnsafeRawBufferPointer) -> Int? {
        let size = MemoryLayout<UInt64>.size
        guard bytes.count % size == 0 else { return nil }
        let words = stride(from: 0, to: bytes.count, by: size).map {
            bytes.loadUnaligned(fromByteOffset: $0, as: UInt64.self)
        }
        return words.allSatisfy { $0 == number } ? words.count : nil
    }
}
