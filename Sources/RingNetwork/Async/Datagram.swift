/// A received datagram that a task may keep.
public struct Datagram: Sendable {
    /// The payload, a copy of its own; at most ``DatagramOptions/maximumDatagramBytes``.
    public let bytes: [UInt8]
    /// The sender; nil for an unnamed Unix socket.
    public let sender: Endpoint?
    /// The destination for an answer: ``DatagramSocket/reply(_:along:)``.
    public let returnPath: DatagramReturnPath
    /// Whether it was longer than ``DatagramOptions/maximumDatagramBytes`` and was truncated.
    public let isTruncated: Bool
}
