/// One word of a command: where it lies, counted from the command's first byte.
struct Argument {
    var offset: Int
    var count: Int
    /// For keys: filled in by commands that need it twice.
    var hash: UInt64 = 0
}

/// The words of the command that is being received, in memory that is kept for the next one.
struct ArgumentList: ~Copyable {
    /// Kept when the list is emptied.
    private static let retainedCapacity = 1024

    private(set) var count = 0
    private var capacity = 16
    private var storage: UnsafeMutablePointer<Argument>

    init() {
        storage = .allocate(capacity: capacity)
    }

    deinit { storage.deallocate() }

    /// Valid until the list changes. Commands keep hashes in it.
    @inline(__always)
    var all: UnsafeMutableBufferPointer<Argument> {
        UnsafeMutableBufferPointer(start: storage, count: count)
    }

    /// The room follows what has arrived, never what was announced.
    @inline(__always)
    mutating func append(_ argument: Argument) {
        if count == capacity { reallocate(2 * capacity) }
        (storage + count).initialize(to: argument)
        count += 1
    }

    @inline(__always)
    mutating func removeAll() {
        count = 0
        if capacity > Self.retainedCapacity { reallocate(16) }
    }

    @inline(never)
    private mutating func reallocate(_ newCapacity: Int) {
        let moved = UnsafeMutablePointer<Argument>.allocate(capacity: newCapacity)
        moved.update(from: storage, count: count)
        storage.deallocate()
        storage = moved
        capacity = newCapacity
    }
}
