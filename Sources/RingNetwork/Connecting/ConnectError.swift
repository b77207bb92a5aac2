internal import LinuxPlatform
#if TLS
public import RingTLS
#endif

/// Why there is no connection: what was tried, what came of it, and what to do about it.
public struct ConnectError: Error, Sendable {
    public enum Reason: Sendable {
        /// The host's name has no addresses.
        case unresolved(ResolverError)
        /// The endpoint, or the local one, cannot be used.
        case invalidEndpoint(EndpointError)
        #if TLS
        /// TLS cannot be used with this endpoint.
        case insecure(TLSError)
        #endif
        /// Every address was tried: see ``ConnectError/attempts``.
        case allFailed
        /// ``ConnectorOptions/timeout`` was over first.
        case timedOut
        /// ``PendingConnection/cancel()`` was called, or the task was cancelled.
        case cancelled
    }

    /// An address that was tried.
    public struct Attempt: Sendable, Hashable {
        public let endpoint: Endpoint
        /// Why it did not come to a connection. ETIMEDOUT, or ECANCELED, for an attempt that was
        /// still under way.
        public let cause: SocketError
    }

    /// What was to be connected to.
    public let endpoint: Endpoint
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
    /// The endpoint, the cause, and a line for each attempt.
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
        case .allFailed: "no address could be connected to"
        case .timedOut: "the time was over before there was a connection"
        case .cancelled: "it was cancelled"
        }
    }
}

extension ConnectError.Attempt: CustomStringConvertible {
    public var description: String { "\(endpoint): \(cause)" }
}
