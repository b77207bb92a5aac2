/// What a ``DatagramSocket`` has done so far.
public struct DatagramCounters: Sendable, Hashable {
    /// Datagrams that the receive handler was given, also those that were cut off.
    public var datagramsReceived: UInt64 = 0
    public var bytesReceived: UInt64 = 0
    /// Datagrams that were longer than the maximum, and lost their ends.
    public var datagramsTruncated: UInt64 = 0
    /// Datagrams that the kernel dropped because its receive buffer was full (SO_RXQ_OVFL). Known
    /// when a later datagram has come.
    public var datagramsOverflowed: UInt64 = 0
    /// Datagrams that the kernel has put together before it handed them over (UDP_GRO).
    public var datagramsCombined: UInt64 = 0
    /// Calls that received something. recvmmsg(2).
    public var receiveCalls: UInt64 = 0

    /// Datagrams that the kernel has taken. That they arrive is nobody's promise.
    public var datagramsSent: UInt64 = 0
    public var bytesSent: UInt64 = 0
    /// Datagrams that were dropped here because the kernel took none and the queue was full, or
    /// because the socket was closed.
    public var datagramsDropped: UInt64 = 0
    /// Datagrams that the kernel refused; the error handler was told.
    public var datagramsRefused: UInt64 = 0
    /// Datagrams that the kernel was given together, to be cut (UDP_SEGMENT).
    public var datagramsSegmented: UInt64 = 0
    /// Calls that sent something. sendmmsg(2).
    public var sendCalls: UInt64 = 0

    public init() {}
}
