internal import LinuxPlatform

/// Datagrams that wait in order for the kernel. Belongs to a socket's queue.
final class OutgoingDatagrams {
    struct Entry {
        /// Nil: the peer of a connected socket.
        var address: SocketAddress?
        /// The path of the datagram that this one answers.
        var path: DatagramPath?
        /// Bytes that the caller owns; nil: at `offset` in `memory`.
        var borrowed: UnsafeRawPointer?
        var offset = 0
        var count = 0
    }

    private var entries: [Entry] = []
    private var first = 0
    private var memory = DatagramMemory()
    /// The bytes of all datagrams, plus `entryBytes` for each.
    private(set) var cost = 0
    /// The number of entries in each message of the current batch.
    private var runs: [Int] = []
    /// The last entries are borrowed, and no others: memory is released from its beginning, so it
    /// must have the order of the datagrams.
    private var borrowedCount = 0

    /// The cost of a datagram besides its bytes, so empty ones count, too.
    static let entryBytes = 64
    private static let keptEntries = 256

    var isEmpty: Bool { first == entries.count }
    var count: Int { entries.count - first }

    /// - Parameter isLasting: the bytes stay valid until `keepBorrowed`; otherwise they are copied.
    func append(
        _ bytes: UnsafeRawBufferPointer, isLasting: Bool, to address: SocketAddress?,
        path: DatagramPath?
    ) {
        var entry = Entry(address: address, path: path, count: bytes.count)
        if isLasting, let start = bytes.baseAddress {
            entry.borrowed = start
            borrowedCount += 1
        } else {
            keepBorrowed()
            entry.offset = memory.store(bytes)
        }
        cost += bytes.count + OutgoingDatagrams.entryBytes
        entries.append(entry)
    }

    /// Copies borrowed bytes, because their owners may reuse them now.
    func keepBorrowed() {
        for index in entries.count - borrowedCount..<entries.count {
            let offset = memory.store(bytes(of: index))
            entries[index].offset = offset
            entries[index].borrowed = nil
        }
        borrowedCount = 0
    }

    func removeFirst(_ count: Int) {
        for index in first..<first + count {
            let entry = entries[index]
            cost -= entry.count + OutgoingDatagrams.entryBytes
            if entry.borrowed == nil {
                memory.release(upTo: entry.offset + entry.count)
            } else {
                borrowedCount -= 1
            }
        }
        first += count
        if first == entries.count {
            entries.removeAll(keepingCapacity: entries.capacity <= OutgoingDatagrams.keptEntries)
            first = 0
            memory.removeAll()
        } else if first >= OutgoingDatagrams.keptEntries && first * 2 >= entries.count {
            entries.removeFirst(first)
            first = 0
        }
    }

    /// The destination of the next datagram.
    var nextAddress: SocketAddress? { isEmpty ? nil : entries[first].address }

    // MARK: batches

    /// Fills the sender with a batch of the next datagrams.
    func fill(_ sender: DatagramSender, _ limit: SegmentLimit) {
        sender.removeAll()
        runs.removeAll(keepingCapacity: true)
        var index = first
        while index < entries.count {
            let run = runLength(at: index, limit)
            guard sender.hasRoom(pieces: run) else { return }
            sender.begin(
                to: entries[index].address, path: entries[index].path,
                segmentBytes: run > 1 ? entries[index].count : 0)
            for place in index..<index + run { sender.append(bytes(of: place)) }
            runs.append(run)
            index += run
        }
    }

    /// The number of datagrams in a message of the batch.
    func datagrams(ofMessage number: Int) -> Int { runs[number] }

    /// The bytes of the first `count` datagrams.
    func byteCount(ofFirst count: Int) -> Int {
        entries[first..<first + count].reduce(0) { $0 + $1.count }
    }

    /// The length of the next datagram.
    var nextByteCount: Int { isEmpty ? 0 : entries[first].count }

    private func bytes(of index: Int) -> UnsafeRawBufferPointer {
        let entry = entries[index]
        return UnsafeRawBufferPointer(
            start: entry.borrowed ?? memory.address(of: entry.offset), count: entry.count)
    }

    /// The number of datagrams that fit in one message: all of equal length, except that the last
    /// may be shorter.
    private func runLength(at start: Int, _ limit: SegmentLimit) -> Int {
        let length = entries[start].count
        guard length > 0 && length <= limit.longestBytes else { return 1 }
        var total = length
        var end = start + 1
        let most = min(entries.count, start + DatagramSender.mostSegments)
        while end < most {
            let next = entries[end].count
            guard next > 0, next <= length, total + next <= SegmentLimit.mostBytes,
                entries[end].address == entries[start].address,
                entries[end].path == entries[start].path
            else { break }
            total += next
            end += 1
            if next < length { break }
        }
        return end - start
    }
}

/// A buffer for a sequence of bytes: appended at the end, released from the beginning. Offsets
/// count all bytes appended since the buffer was last empty.
private struct DatagramMemory: ~Copyable {
    private var start: UnsafeMutableRawPointer?
    private var capacity = 0
    /// The offset of the memory's first byte.
    private var base = 0
    /// Offsets below it are free.
    private var released = 0
    private var end = 0

    private static let smallestCapacity = 4096
    private static let keptCapacity = 1 << 18

    deinit { start?.deallocate() }

    mutating func store(_ bytes: UnsafeRawBufferPointer) -> Int {
        let offset = end
        guard let from = bytes.baseAddress, bytes.count > 0 else { return offset }
        makeRoom(for: bytes.count)
        start.unsafelyUnwrapped.advanced(by: end - base)
            .copyMemory(from: from, byteCount: bytes.count)
        end += bytes.count
        return offset
    }

    func address(of offset: Int) -> UnsafeRawPointer? {
        start.map { UnsafeRawPointer($0 + (offset - base)) }
    }

    mutating func release(upTo offset: Int) { released = max(released, offset) }

    mutating func removeAll() {
        base = 0
        released = 0
        end = 0
        if capacity > DatagramMemory.keptCapacity {
            start?.deallocate()
            start = nil
            capacity = 0
        }
    }

    private mutating func makeRoom(for count: Int) {
        guard end - base + count > capacity else { return }
        let used = end - released
        // The moved bytes are at most as many as were released since the last move.
        if let start, released - base >= capacity / 2, used + count <= capacity {
            start.copyMemory(from: start + (released - base), byteCount: used)
        } else {
            let larger = max(DatagramMemory.smallestCapacity, 2 * capacity, 2 * (used + count))
            let moved = UnsafeMutableRawPointer.allocate(byteCount: larger, alignment: 16)
            if let start {
                moved.copyMemory(from: start + (released - base), byteCount: used)
                start.deallocate()
            }
            start = moved
            capacity = larger
        }
        base = released
    }
}
