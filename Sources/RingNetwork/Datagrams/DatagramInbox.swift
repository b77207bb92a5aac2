internal import LinuxPlatform

/// A socket's receive buffers and their metadata. Belongs to the socket's queue.
final class DatagramInbox {
    let receiver: DatagramReceiver
    /// The program's limit on the length of a datagram.
    private let maximumBytes: Int
    /// One element per received entry.
    @exclusivity(unchecked) private(set) var facts: [DatagramFacts] = []

    init(_ options: DatagramOptions, isCombining: Bool, isUnix: Bool) {
        // The buffers for coalesced datagrams are always longer.
        maximumBytes = options.maximumDatagramBytes
        receiver = DatagramReceiver(
            capacity: options.receiveBatch,
            bytesEach: isCombining ? DatagramReceiver.longestBytes : maximumBytes,
            hasControls: !isUnix)
        facts.reserveCapacity(options.receiveBatch)
    }

    /// Returns the number of entries, or a negated errno.
    func receive(_ descriptor: Int32) -> Int {
        let count = receiver.receive(descriptor)
        facts.removeAll(keepingCapacity: true)
        for entry in 0..<max(0, count) { facts.append(receiver.facts(at: entry)) }
        return count
    }

    func count(_ entries: Int, into counters: inout DatagramCounters, drops: inout UInt32) {
        counters.receiveCalls &+= 1
        for entry in 0..<entries {
            let datagrams = datagrams(in: entry)
            counters.datagramsReceived &+= UInt64(datagrams)
            if datagrams > 1 { counters.datagramsCombined &+= UInt64(datagrams) }
            for part in 0..<datagrams {
                counters.bytesReceived &+= UInt64(bytes(entry, part).count)
                if isTruncated(entry, part) { counters.datagramsTruncated &+= 1 }
            }
            if let all = facts[entry].kernelDrops {
                counters.datagramsOverflowed &+= UInt64(all &- drops)
                drops = all
            }
        }
    }

    @inline(__always)
    func datagrams(in entry: Int) -> Int {
        let segment = facts[entry].segmentBytes
        if segment == 0 { return 1 }
        return max(1, (receiver.bytes(at: entry).count + segment - 1) / segment)
    }

    /// The bytes of one datagram of an entry, before truncation to `maximumBytes`.
    @inline(__always)
    private func part(_ entry: Int, _ part: Int) -> UnsafeRawBufferPointer {
        let all = receiver.bytes(at: entry)
        let segment = facts[entry].segmentBytes
        if segment == 0 { return all }
        let start = part * segment
        let end = min(all.count, start + segment)
        return UnsafeRawBufferPointer(rebasing: all[start..<end])
    }

    @inline(__always)
    func bytes(_ entry: Int, _ number: Int) -> UnsafeRawBufferPointer {
        let whole = part(entry, number)
        return UnsafeRawBufferPointer(rebasing: whole[..<min(whole.count, maximumBytes)])
    }

    @inline(__always)
    func isTruncated(_ entry: Int, _ number: Int) -> Bool {
        receiver.isTruncated(at: entry) || part(entry, number).count > maximumBytes
    }
}
