import Glibc

/// A block of memory of fixed size: the client's only raw memory. Every access is checked against
/// its bounds. Confined to one queue while it is written to.
final class RawStorage: @unchecked Sendable {
    private let bytes: UnsafeMutableRawBufferPointer

    init(capacity: Int) {
        // Eight spare bytes, so that storing a word at the last byte stays inside.
        bytes = .allocate(byteCount: capacity + 8, alignment: 64)
        bytes.initializeMemory(as: UInt8.self, repeating: 0)
    }

    deinit {
        bytes.deallocate()
    }

    var capacity: Int { bytes.count - 8 }

    /// Eight bytes in the machine's order, at any offset. Reaches up to 8 bytes past `offset`.
    func storeWord(_ word: UInt64, at offset: Int) {
        checkBounds(offset, 0)
        bytes.storeBytes(of: word, toByteOffset: offset, as: UInt64.self)
    }

    func word(at offset: Int) -> UInt64 {
        checkBounds(offset, 0)
        return bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
    }

    func byte(at offset: Int) -> UInt8 {
        checkBounds(offset, 1)
        return bytes[offset]
    }

    func copy(from source: RawStorage, _ range: Range<Int>, to offset: Int) {
        checkBounds(offset, range.count)
        source.checkBounds(range.lowerBound, range.count)
        // Safety: both ranges were checked, and two storages never overlap.
        let from = source.bytes.baseAddress! + range.lowerBound
        memcpy(bytes.baseAddress! + offset, from, range.count)
    }

    func equals(_ other: RawStorage, _ range: Range<Int>, at offset: Int) -> Bool {
        checkBounds(offset, range.count)
        other.checkBounds(range.lowerBound, range.count)
        // Safety: both ranges were checked.
        let wanted = other.bytes.baseAddress! + range.lowerBound
        return memcmp(bytes.baseAddress! + offset, wanted, range.count) == 0
    }

    /// recv(2) into the storage's start.
    func receive(from descriptor: Int32) -> Transfer {
        while true {
            // Safety: the kernel writes at most `capacity` bytes, before the call returns.
            let count = recv(descriptor, bytes.baseAddress, capacity, 0)
            if count > 0 { return .bytes(count) }
            if count == 0 { return .endOfFile }
            let code = errno
            if code != EINTR { return code == EAGAIN ? .wouldBlock : .failed(code) }
        }
    }

    /// send(2) of a part of the storage.
    func send(_ part: Range<Int>, to descriptor: Int32) -> Transfer {
        checkBounds(part.lowerBound, part.count)
        while true {
            // Safety: the range was checked.
            let start = bytes.baseAddress! + part.lowerBound
            let count = Glibc.send(descriptor, start, part.count, Int32(MSG_NOSIGNAL))
            if count >= 0 { return .bytes(count) }
            let code = errno
            if code != EINTR { return code == EAGAIN ? .wouldBlock : .failed(code) }
        }
    }

    private func checkBounds(_ offset: Int, _ count: Int) {
        precondition(offset >= 0 && count >= 0 && offset <= capacity - count, "outside the storage")
    }
}

/// What a receive or send came to.
enum Transfer {
    case bytes(Int)
    case wouldBlock
    case endOfFile
    /// With its errno.
    case failed(Int32)
}
