internal import LinuxPlatform

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
