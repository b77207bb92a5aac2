internal import LinuxPlatform

/// Options of stream sockets, for listeners, adopted listening sockets and connectors.
public struct SocketOptions: Sendable {
    /// Whether small messages are sent at once, without Nagle's algorithm (TCP_NODELAY). tcp(7).
    public var noDelay = true
    /// Called with each socket before it is bound, to set options that have no name here.
    /// setsockopt(2).
    public var prepare: @Sendable (Int32) -> Void = { _ in }

    /// The defaults: without Nagle's algorithm, and nothing else changed.
    public init() {}

    func apply(to descriptor: Int32) {
        if noDelay { Sockets.setNoDelay(descriptor) }
        prepare(descriptor)
    }
}
