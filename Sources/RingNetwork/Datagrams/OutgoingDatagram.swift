/// A datagram and its destination, for sending several at once.
public struct OutgoingDatagram: Sendable, Hashable {
    /// The payload.
    public var bytes: [UInt8]
    /// Nil: the peer of a connected socket. To send it on one without a peer ends the process. A
    /// name that is not resolved goes to the error handler, with EDESTADDRREQ.
    public var endpoint: Endpoint?

    /// Creates a datagram.
    /// - Parameters:
    ///   - bytes: the payload.
    ///   - endpoint: the destination, resolved; nil: the peer of a connected socket.
    public init(_ bytes: [UInt8], to endpoint: Endpoint? = nil) {
        self.bytes = bytes
        self.endpoint = endpoint
    }
}
