/// Counters of a ``DatagramSocket``.
public struct DatagramCounters: Sendable, Hashable {
    /// Datagrams passed to the receive handler, including truncated ones.
    public var datagramsReceived: UInt64 = 0
    /// The payloads of these datagrams, without what was truncated.
    public var bytesReceived: UInt64 = 0
    /// Datagrams that were longer than the maximum and were truncated.
    public var datagramsTruncated: UInt64 = 0
    /// Datagrams that the kernel dropped because its receive buffer was full (SO_RXQ_OVFL). Updated
    /// with the next datagram received.
    public var datagramsOverflowed: UInt64 = 0
    /// Datagrams that the kernel coalesced on receipt (UDP_GRO).
    public var datagramsCombined: UInt64 = 0
    /// Calls of recvmmsg(2) that received datagrams.
    public var receiveCalls: UInt64 = 0

    /// Datagrams that the kernel has taken. They may still be lost on the way.
    public var datagramsSent: UInt64 = 0
    /// The payloads of these datagrams.
    public var bytesSent: UInt64 = 0
    /// Datagrams dropped by the socket, because its queue was full or it was closed.
    public var datagramsDropped: UInt64 = 0
    /// Datagrams that the kernel refused, as reported to the error handler.
    public var datagramsRefused: UInt64 = 0
    /// Datagrams passed to the kernel as segments of a larger message (UDP_SEGMENT).
    public var datagramsSegmented: UInt64 = 0
    /// Calls of sendmmsg(2) that sent datagrams.
    public var sendCalls: UInt64 = 0

    /// All counters at 0.
    public init() {}
}
