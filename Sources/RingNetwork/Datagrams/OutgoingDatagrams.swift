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
    /// The bytes that are not borrowed, in the order of the datagrams.
    private var memory: [UInt8] = []
    /// The bytes of all datagrams, plus `entryBytes` for each.
    private(set) var cost = 0
    /// The number of entries in each message of the current batch.
    private(set) var runs: [Int] = []
    /// The last entries are borrowed, and no others: memory is released from its beginning.
    private var borrowedCount = 0

    /// Consecutive attempts that have sent nothing.
    private(set) var fruitlessAttempts = 0

    /// The cost of a datagram besides its bytes, so empty ones count, too.
    static let entryBytes = 64
    private static let keptEntries = 256
    private static let keptBytes = 1 << 18

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
            entry.offset = store(bytes)
        }
        cost += bytes.count + OutgoingDatagrams.entryBytes
        entries.append(entry)
    }

    /// Copies borrowed bytes, because their owners may reuse them now.
    func keepBorrowed() {
        for index in entries.count - borrowedCount..<entries.count {
            let entry = entries[index]
            entries[index].offset = store(
                UnsafeRawBufferPointer(start: entry.borrowed, count: entry.count))
            entries[index].borrowed = nil
        }
        borrowedCount = 0
    }

    /// Returns the offset in `memory`.
    private func store(_ bytes: UnsafeRawBufferPointer) -> Int {
        memory.append(contentsOf: bytes)
        return memory.count - bytes.count
    }

    /// Returns the number of their bytes.
    @discardableResult
    func removeFirst(_ count: Int) -> Int {
        var bytes = 0
        for index in first..<first + count {
            bytes += entries[index].count
            if entries[index].borrowed != nil { borrowedCount -= 1 }
        }
        cost -= bytes + count * OutgoingDatagrams.entryBytes
        first += count
        if first == entries.count {
            entries.removeAll(keepingCapacity: entries.capacity <= OutgoingDatagrams.keptEntries)
            if !memory.isEmpty {
                memory.removeAll(keepingCapacity: memory.capacity <= OutgoingDatagrams.keptBytes)
            }
            first = 0
            fruitlessAttempts = 0
        } else {
            dropUsed()
        }
        return bytes
    }

    /// Removes the datagrams for a peer, and calls `body` with the bytes and the path of each.
    func removeAll(
        to address: SocketAddress, _ body: (UnsafeRawBufferPointer, DatagramPath?) -> Void
    ) {
        keepBorrowed()
        let all = entries[first...]
        entries = all.filter { $0.address != address }
        first = 0
        memory.withUnsafeBytes { memory in
            for entry in all where entry.address == address {
                cost -= entry.count + OutgoingDatagrams.entryBytes
                body(
                    UnsafeRawBufferPointer(rebasing: memory[entry.offset...].prefix(entry.count)),
                    entry.path)
            }
        }
        removeFirst(0)
    }

    /// Drops the entries and the bytes of sent datagrams once both are half of all, so that each
    /// remaining one is moved for one that was dropped.
    private func dropUsed() {
        let used = entries[first].borrowed == nil ? entries[first].offset : memory.count
        guard first * 2 >= entries.count, used * 2 >= memory.count else { return }
        entries.removeFirst(first)
        memory.removeFirst(used)
        for index in entries.indices { entries[index].offset -= used }
        first = 0
    }

    /// The next datagram; there must be one.
    var next: Entry { entries[first] }

    /// Called when an attempt has found no more room.
    func noteAttempt(countBefore: Int) {
        fruitlessAttempts = count < countBefore ? 0 : fruitlessAttempts + 1
    }

    // MARK: batches

    /// Fills the sender with a batch of the next datagrams, and calls `send`.
    func sendBatch(_ sender: DatagramSender, _ limit: SegmentLimit, _ send: () -> Int) -> Int {
        sender.removeAll()
        runs.removeAll(keepingCapacity: true)
        return memory.withUnsafeBytes { memory in
            var index = first
            while index < entries.count {
                let run = runLength(at: index, limit)
                guard sender.hasRoom(pieces: run) else { break }
                sender.begin(
                    to: entries[index].address, path: entries[index].path,
                    segmentBytes: run > 1 ? entries[index].count : 0)
                for place in index..<index + run {
                    let entry = entries[place]
                    sender.append(
                        UnsafeRawBufferPointer(
                            start: entry.borrowed ?? memory.baseAddress.map { $0 + entry.offset },
                            count: entry.count))
                }
                runs.append(run)
                index += run
            }
            return send()
        }
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
