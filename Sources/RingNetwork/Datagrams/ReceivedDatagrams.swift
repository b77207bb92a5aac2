/// A batch of datagrams, valid only during the receive handler. It can be iterated several times.
public struct ReceivedDatagrams: ~Copyable {
    let inbox: DatagramInbox
    let entryCount: Int

    /// The number of datagrams.
    public var count: Int {
        (0..<entryCount).reduce(0) { $0 + inbox.datagrams(in: $1) }
    }

    /// Calls `body` with each datagram and its bytes, in the order of arrival. The span is the
    /// socket's memory, and valid only during the call.
    @inline(__always)
    public borrowing func forEach<Failure: Error>(
        _ body: (borrowing ReceivedDatagram, RawSpan) throws(Failure) -> Void
    ) throws(Failure) {
        for entry in 0..<entryCount {
            for part in 0..<inbox.datagrams(in: entry) {
                let datagram = ReceivedDatagram(inbox: inbox, entry: entry, part: part)
                try body(datagram, RawSpan(_unsafeBytes: inbox.bytes(entry, part)))
            }
        }
    }
}
