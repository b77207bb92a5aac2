import Glibc

/// A key with its value, in one block of memory: a header, the key's bytes, the value's bytes, and
/// room that the allocator gave in addition. A plain pointer: its shard owns it.
struct Entry: Equatable {
    private struct Header {
        var keyCount: UInt32
        var valueCount: UInt32
        var valueCapacity: UInt32
        /// The place in the shard's heap of deadlines; `noDeadline`: in none.
        var deadlineIndex: UInt32
    }

    static let noDeadline = UInt32.max
    private static let headerBytes = MemoryLayout<Header>.size

    private let header: UnsafeMutablePointer<Header>

    /// Where it lies.
    var address: UnsafeMutableRawPointer { UnsafeMutableRawPointer(header) }

    /// A key, and a value whose bytes are not set.
    init(key: UnsafeRawBufferPointer, valueCount: Int) {
        let size = Self.allocationBytes(keyCount: key.count, valueCount: valueCount)
        guard let memory = malloc(size) else { outOfMemory(size) }
        header = memory.bindMemory(to: Header.self, capacity: 1)
        header.initialize(
            to: Header(
                keyCount: UInt32(key.count), valueCount: UInt32(valueCount),
                valueCapacity: UInt32(size - Self.headerBytes - key.count),
                deadlineIndex: Self.noDeadline))
        if let bytes = key.baseAddress {
            (memory + Self.headerBytes).copyMemory(from: bytes, byteCount: key.count)
        }
    }

    func deallocate() { free(header) }

    /// What is asked of the allocator: all that it would round up to, which makes room for values
    /// that are a little longer. It works with steps of 16 bytes, 8 of which are its own.
    private static func allocationBytes(keyCount: Int, valueCount: Int) -> Int {
        (headerBytes + keyCount + valueCount + 8 + 15) & ~15 - 8
    }

    /// The memory that a new entry takes, the allocator's and the table's part included.
    static func memoryBytes(keyCount: Int, valueCount: Int) -> Int {
        allocationBytes(keyCount: keyCount, valueCount: valueCount) + 8
    }

    var memoryBytes: Int {
        Self.headerBytes + keyCount + Int(header.pointee.valueCapacity) + 8
    }

    @inline(__always)
    var keyCount: Int { Int(header.pointee.keyCount) }

    var key: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: address + Self.headerBytes, count: keyCount)
    }

    @inline(__always)
    func hasKey(_ other: UnsafeRawBufferPointer) -> Bool {
        guard keyCount == other.count else { return false }
        guard let bytes = other.baseAddress else { return true }
        return memcmp(address + Self.headerBytes, bytes, other.count) == 0
    }

    // MARK: the value

    @inline(__always)
    var valueStart: UnsafeMutableRawPointer { address + Self.headerBytes + keyCount }

    @inline(__always)
    var valueCount: Int { Int(header.pointee.valueCount) }

    /// Valid until the value changes.
    @inline(__always)
    var value: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: valueStart, count: valueCount)
    }

    /// How long the value may become in this block.
    @inline(__always)
    var valueCapacity: Int { Int(header.pointee.valueCapacity) }

    /// Whether a value of `count` bytes fits, and does not leave much of the block unused.
    @inline(__always)
    func isSuitable(forValueCount count: Int) -> Bool {
        count <= valueCapacity && valueCapacity - count <= count + 64
    }

    /// For a value whose bytes are in place.
    @inline(__always)
    func setValueCount(_ count: Int) {
        header.pointee.valueCount = UInt32(truncatingIfNeeded: count)
    }

    @inline(__always)
    func setValue(_ bytes: UnsafeRawBufferPointer) {
        if let source = bytes.baseAddress {
            valueStart.copyMemory(from: source, byteCount: bytes.count)
        }
        setValueCount(bytes.count)
    }

    // MARK: the deadline

    @inline(__always)
    var hasDeadline: Bool { header.pointee.deadlineIndex != Self.noDeadline }

    @inline(__always)
    var deadlineIndex: Int {
        get { Int(header.pointee.deadlineIndex) }
        nonmutating set { header.pointee.deadlineIndex = UInt32(newValue) }
    }

    func clearDeadlineIndex() { header.pointee.deadlineIndex = Self.noDeadline }
}
