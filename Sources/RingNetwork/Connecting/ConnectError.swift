internal import LinuxPlatform
#if TLS
public import RingTLS
#endif

/// Why no connection was made, with every attempt and its remedy.
public struct ConnectError: Error, Sendable {
    /// How the whole attempt ended.
    public enum Reason: Sendable {
        /// The host name could not be resolved.
        case unresolved(ResolverError)
        /// The remote or the local endpoint is invalid.
        case invalidEndpoint(EndpointError)
        #if TLS
        /// TLS cannot be used with this endpoint.
        case insecure(TLSError)
        #endif
        /// Every address failed; see ``ConnectError/attempts``.
        case allFailed
        /// ``ConnectorOptions/timeout`` expired.
        case timedOut
        /// ``PendingConnection/cancel()`` was called. A cancelled task gets `CancellationError`.
        case cancelled
    }

    /// A failed attempt to connect to one address.
    public struct Attempt: Sendable, Hashable {
        /// The resolved address.
        public let endpoint: Endpoint
        /// The error; ETIMEDOUT or ECANCELED for an attempt that was still in progress.
        public let cause: SocketError
    }

    /// The endpoint passed to the connector.
    public let endpoint: Endpoint
    /// How the whole attempt ended. The causes of single addresses are in ``attempts``.
    public let reason: Reason
    /// In the order in which they ended.
    public let attempts: [Attempt]
}

extension ConnectError.Attempt {
    init(_ endpoint: Endpoint, _ error: SystemError) {
        self.endpoint = endpoint
        cause = SocketError(
            error.call, error.code,
            remedy: error.remedy ?? endpoint.connectingRemedy(error.code, call: error.call))
    }
}

extension ConnectError: CustomStringConvertible {
    /// The endpoint, the cause, and one line per attempt.
    public var description: String {
        (["cannot connect to \(endpoint): \(reason)"] + attempts.map { "  \($0)" })
            .joined(separator: "\n")
    }
}

extension ConnectError.Reason: CustomStringConvertible {
    public var description: String {
        switch self {
        case .unresolved(let error): error.description
        case .invalidEndpoint(let error): error.description
        #if TLS
        case .insecure(let error): error.description
        #endif
        case .allFailed: "all addresses failed"
        case .timedOut: "timed out before a connection was made"
        case .cancelled: "cancelled"
        }
    }
}

extension ConnectError.Attempt: CustomStringConvertible {
    public var description: String { "\(endpoint): \(cause)" }
}
