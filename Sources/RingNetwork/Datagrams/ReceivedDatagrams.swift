internal import Ring

/// Datagrams that came together, lent to a receive handler. Each may be looked at as often as the
/// handler likes; neither they nor their bytes can be kept.
public struct ReceivedDatagrams: ~Copyable {
    let inbox: DatagramInbox
    let entryCount: Int

    /// How many datagrams there are.
    public var count: Int {
        (0..<entryCount).reduce(0) { $0 + inbox.datagrams(in: $1) }
    }

    /// Calls `body` with each datagram and its bytes, in the order in which they came. The span is
    /// the socket's memory.
    @inline(__always)
    public borrowing func forEach<Failure: Error>(
        _ body: (borrowing ReceivedDatagram, RawSpan) throws(Failure) -> Void
    ) throws(Failure) {
        for entry in 0..<entryCount {
            for part in 0..<inbox.datagrams(in: entry) {
                let datagram = ReceivedDatagram(inbox: inbox, entry: entry, part: part)
                try body(datagram, RawSpan(_unsafeBytes: datagram.memory))
            }
        }
    }
}

/// One datagram, lent to a receive handler.
public struct ReceivedDatagram: ~Copyable {
    let inbox: DatagramInbox
    let entry: Int
    /// Its place among those that the kernel has put together.
    let part: Int

    /// Whether it was longer than ``DatagramOptions/maximumDatagramBytes``: its end is lost.
    public var isTruncated: Bool { inbox.isTruncated(entry, part) }

    /// Whom it is from; nil for a Unix socket without a name. Made at each call: ask once.
    public var sender: Endpoint? { Endpoint(inbox.receiver.address(at: entry)) }

    /// The sender's port, at little cost; 0 for Unix sockets.
    public var senderPort: UInt16 { inbox.receiver.port(at: entry) }

    /// The address that it was sent to, which may be a group's or a broadcast address; nil unless
    /// ``DatagramOptions/reportsLocalAddress`` asks for it.
    public var localAddress: IPAddress? {
        inbox.facts[entry].path.map { path in
            switch path.destination {
            case .ipv4(let address): .v4(IPv4Address(rawValue: address))
            case .ipv6(let address): .v6(IPv6Address(rawValue: address))
            }
        }
    }

    /// The interface that it came by; nil unless the local address is known.
    public var interface: InterfaceZone? {
        inbox.facts[entry].path.flatMap { InterfaceZone(index: $0.interface) }
    }

    /// Where an answer goes, to be kept for later. To answer at once,
    /// ``DatagramSocket/reply(_:to:)`` costs less.
    public var returnPath: DatagramReturnPath {
        DatagramReturnPath(
            address: inbox.receiver.address(at: entry), path: inbox.facts[entry].path)
    }

    /// Calls `body` with the bytes.
    public borrowing func withBytes<Result, Failure: Error>(
        _ body: (RawSpan) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try body(RawSpan(_unsafeBytes: memory))
    }

    var memory: UnsafeRawBufferPointer { inbox.bytes(entry, part) }
}

/// Where an answer to a datagram goes, and the address that it is to come from: the one that the
/// datagram was sent to, where that is known.
public struct DatagramReturnPath: Sendable {
    let address: SocketAddress
    let path: DatagramPath?

    /// Whom it leads to; nil for a Unix socket without a name.
    public var endpoint: Endpoint? { Endpoint(address) }
}

/// What a socket receives into, and what is known of it. Belongs to the socket's queue.
final class DatagramInbox {
    let receiver: DatagramReceiver
    /// The length that the program wants datagrams to have at most.
    private let maximumBytes: Int
    /// Of each entry that was received.
    @exclusivity(unchecked) private(set) var facts: [DatagramFacts] = []

    init(_ options: DatagramOptions, isCombining: Bool, isUnix: Bool) {
        // What the kernel puts together is always longer.
        maximumBytes = options.maximumDatagramBytes
        receiver = DatagramReceiver(
            capacity: options.receiveBatch,
            bytesEach: isCombining ? DatagramReceiver.longestBytes : maximumBytes,
            hasControls: !isUnix)
        facts.reserveCapacity(options.receiveBatch)
    }

    /// The count of entries, or a negated errno.
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

    /// A part's bytes, and how long it is before it is cut off.
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
