#if TLS
public import RingTLS
#endif

/// Why TLS ended a connection; see ``CloseReason/tlsFailed(_:)``. Only with the trait `TLS`.
public struct TLSFailure: Error, Hashable, CustomStringConvertible {
    /// The cause and the remedy.
    public let description: String

    #if TLS
    /// The engine's error; nil if a limit of the connection was exceeded.
    public let error: TLSError?

    init(_ error: any Error) {
        self.error = error as? TLSError
        description = "\(error)"
    }

    /// For a limit of the connection.
    init(_ description: String) {
        error = nil
        self.description = description
    }
    #endif
}
