#if TLS
public import RingTLS
#endif

/// Why TLS ended a connection; see ``CloseReason/tlsFailed(_:)``. Comes with the trait `TLS` only.
public struct TLSFailure: Error, Hashable, CustomStringConvertible {
    /// What failed, why, and what to do about it.
    public let description: String

    #if TLS
    /// What the engine says.
    public let error: TLSError?

    init(_ error: TLSError) {
        self.error = error
        description = error.description
    }

    /// A limit of the connection's own.
    init(_ description: String) {
        error = nil
        self.description = description
    }

    public static func == (one: TLSFailure, other: TLSFailure) -> Bool {
        one.error == other.error && one.description == other.description
    }

    public func hash(into hasher: inout Hasher) { hasher.combine(description) }
    #endif
}
