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
            remedy: error.remedy ?? DatagramSocketError.remedy(endpoint, error.code))
    }

    private static func remedy(_ endpoint: Endpoint, _ code: Int32) -> String {
        switch code {
        case ErrorCode.addressInUse:
            if case .unix = endpoint {
                return "another program receives there, or left the file behind: remove it"
            }
            return "another program receives there: stop it (ss -lunp shows it), or take another "
                + "port; port 0 takes a free one"
        case ErrorCode.addressNotAvailable:
            return "the address is none of this machine's: 'ip address' lists them"
        case ErrorCode.access:
            return "ports below 1024 need the capability CAP_NET_BIND_SERVICE, and broadcast "
                + "addresses the option allowsBroadcast"
        default:
            return ""
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
