internal import LinuxPlatform
public import RingDispatch

/// Options of stream sockets, for listeners, adopted listening sockets and connectors.
public struct SocketOptions: Sendable {
    /// Whether small messages are sent at once, without Nagle's algorithm (TCP_NODELAY). When
    /// false, the socket's own setting stays. No effect on Unix sockets. tcp(7).
    public var noDelay = true
    /// How long a TCP connection may be silent before the kernel asks whether the peer still exists
    /// (SO_KEEPALIVE). A silent one whose peer has vanished fails with ETIMEDOUT after about twice
    /// this time; one with bytes that the peer has not confirmed, when the kernel gives up sending
    /// them (net.ipv4.tcp_retries2, about 15 minutes). Whole seconds, 1 to 32,767; others count as
    /// the nearest. `.never`: the socket's own setting stays, such as systemd's for an adopted one,
    /// or off. No effect on Unix sockets. tcp(7).
    public var keepAlive = DispatchTimeInterval.seconds(60)
    /// Called with each new socket before it is bound, and with each adopted listening socket, to
    /// set options that have no name here. Not called with accepted sockets, which inherit most
    /// options. setsockopt(2).
    public var prepare: @Sendable (Int32) -> Void = { _ in }

    /// The defaults: without Nagle's algorithm, and a question after a minute of silence.
    public init() {}

    func apply(to descriptor: Int32) {
        if noDelay { Sockets.setNoDelay(descriptor) }
        if keepAlive != .never {
            let seconds = keepAlive.clampedNanoseconds / 1_000_000_000
            Sockets.setKeepAlive(descriptor, seconds: Int32(min(max(seconds, 1), 32_767)))
        }
        prepare(descriptor)
    }
}
