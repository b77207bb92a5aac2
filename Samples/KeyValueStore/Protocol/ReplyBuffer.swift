import Glibc

/// Replies that wait to be sent: a session appends at the end, the network layer takes from the
/// front. The memory is kept from one batch to the next, unless a large reply made it grow.
///
/// Not thread-safe; it belongs to one connection.
package struct ReplyBuffer: ~Copyable {
    /// What is allocated first, and kept when the buffer is empty.
    private static let retainedBytes = 64 << 10

    private var memory: UnsafeMutableRawPointer
    private var capacity: Int
    /// Where the unsent bytes begin and end.
    private var start = 0
    private var end = 0

    package init() {
        capacity = 4 << 10
        guard let memory = malloc(capacity) else { outOfMemory(capacity) }
        self.memory = memory
    }

    deinit { free(memory) }

    // MARK: sending

    /// The unsent bytes; valid until the buffer changes.
    package var bytes: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: memory + start, count: end - start)
    }

    package var count: Int { end - start }

    package var isEmpty: Bool { start == end }

    /// The first bytes are sent.
    package mutating func removeFirst(_ sentCount: Int) {
        precondition(sentCount >= 0 && sentCount <= count, "more sent than there is")
        start += sentCount
        if start == end { removeAll() }
    }

    /// Everything is sent, or nobody wants it any more.
    package mutating func removeAll() {
        start = 0
        end = 0
        if capacity > Self.retainedBytes { reallocate(Self.retainedBytes) }
    }

    // MARK: replies

    /// Takes back what was appended since `count` was `mark`.
    mutating func truncate(to mark: Int) {
        end = start + mark
    }

    @inline(__always)
    mutating func append(_ text: StaticString) {
        let count = text.utf8CodeUnitCount
        reserve(count)
        (memory + end).copyMemory(from: text.utf8Start, byteCount: count)
        end += count
    }

    mutating func append(_ bytes: UnsafeRawBufferPointer) {
        guard let source = bytes.baseAddress else { return }
        reserve(bytes.count)
        (memory + end).copyMemory(from: source, byteCount: bytes.count)
        end += bytes.count
    }

    mutating func append(text: String) {
        var text = text
        text.withUTF8 { append(UnsafeRawBufferPointer($0)) }
    }

    mutating func appendOK() { append("+OK\r\n") }

    /// No value.
    mutating func appendNull() { append("$-1\r\n") }

    @inline(__always)
    mutating func appendInteger(_ value: Int) {
        appendHeader(UInt8(ascii: ":"), Int64(value), thenRoomFor: 0)
    }

    mutating func appendArrayHeader(_ count: Int) {
        appendHeader(UInt8(ascii: "*"), Int64(count), thenRoomFor: 0)
    }

    @inline(__always)
    mutating func appendBulk(_ bytes: UnsafeRawBufferPointer) {
        appendHeader(UInt8(ascii: "$"), Int64(bytes.count), thenRoomFor: bytes.count + 2)
        if let source = bytes.baseAddress {
            (memory + end).copyMemory(from: source, byteCount: bytes.count)
            end += bytes.count
        }
        (memory + end).storeBytes(of: Self.lineEnd, as: UInt16.self)
        end += 2
    }

    mutating func appendBulk(_ text: String) {
        var text = text
        text.withUTF8 { appendBulk(UnsafeRawBufferPointer($0)) }
    }

    /// A status like "+PONG".
    mutating func appendStatus(_ text: String) {
        append("+")
        append(text: text)
        append("\r\n")
    }

    /// An error reply; `message` begins with its code. What would end the line becomes a space.
    mutating func appendError(_ message: String) {
        append("-")
        let mark = count
        append(text: message)
        for index in start + mark..<end {
            let byte = memory.load(fromByteOffset: index, as: UInt8.self)
            if byte == UInt8(ascii: "\r") || byte == UInt8(ascii: "\n") {
                memory.storeBytes(of: UInt8(ascii: " "), toByteOffset: index, as: UInt8.self)
            }
        }
        append("\r\n")
    }

    /// "\r\n" as it lies in memory.
    private static let lineEnd = UInt16(littleEndian: 0x0a0d)

    /// A type's letter, a number and the end of the line; room for what follows.
    @inline(__always)
    private mutating func appendHeader(_ letter: UInt8, _ value: Int64, thenRoomFor rest: Int) {
        reserve(Decimal.longestCount + 3 + rest)
        memory.storeBytes(of: letter, toByteOffset: end, as: UInt8.self)
        let count = Decimal.count(value)
        Decimal.write(value, to: memory + end + 1, count: count)
        (memory + end + 1 + count).storeBytes(of: Self.lineEnd, as: UInt16.self)
        end += count + 3
    }

    // MARK: memory

    @inline(__always)
    private mutating func reserve(_ count: Int) {
        if capacity - end < count { makeRoom(count) }
    }

    @inline(never)
    private mutating func makeRoom(_ count: Int) {
        if start > 0 {
            memmove(memory, memory + start, end - start)
            end -= start
            start = 0
        }
        if capacity - end < count { reallocate(max(2 * capacity, end + count)) }
    }

    private mutating func reallocate(_ newCapacity: Int) {
        guard let moved = realloc(memory, newCapacity) else { outOfMemory(newCapacity) }
        memory = moved
        capacity = newCapacity
    }
}
