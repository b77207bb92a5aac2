internal import Ring

/// A datagram socket that cannot be opened: where, why, and what to do about it.
public struct DatagramSocketError: Error {
    /// Where it was to be bound, or whom it was to be connected to.
    public let endpoint: Endpoint
    public let cause: SocketError

    init(_ endpoint: Endpoint, _ error: KernelError) {
        self.endpoint = endpoint
        cause = SocketError(
            error.call, error.code,
            remedy: error.remedy ?? DatagramSocketError.remedy(endpoint, error))
    }

    private static func remedy(_ endpoint: Endpoint, _ error: KernelError) -> String {
        guard error.call == "connect" else {
            return endpoint.bindingRemedy(error.code, for: .datagrams)
        }
        switch error.code {
        case ErrorCode.wrongType:
            return "that is no socket for datagrams: check the path"
        case ErrorCode.access where !endpoint.isUnix:
            return "broadcast addresses need the option allowsBroadcast"
        default:
            return ConnectError.Attempt.remedy(endpoint, error.call, error.code)
        }
    }
}

extension DatagramSocketError: CustomStringConvertible {
    public var description: String { "cannot open a datagram socket for \(endpoint): \(cause)" }
}

/// What a ``DatagramSocket`` tells its error handler. The socket goes on.
public struct DatagramFailure: Error, Hashable {
    /// Whom it is about; nil where the kernel does not say.
    public let endpoint: Endpoint?
    /// How many datagrams were not sent. 0: it is about one that was sent before, and was refused
    /// by the peer's machine or on its way (ICMP), or about receiving.
    public let unsentDatagrams: Int
    public let cause: SocketError
}

extension DatagramFailure: CustomStringConvertible {
    public var description: String {
        "\(endpoint.map { "\($0)" } ?? "datagram socket"): \(cause)"
            + (unsentDatagrams > 0 ? " (\(unsentDatagrams) not sent)" : "")
    }
}
