internal import LinuxPlatform

/// A datagram socket that cannot be opened: where, why, and what to do about it.
public struct DatagramSocketError: Error {
    /// Where it was to be bound, or whom it was to be connected to.
    public let endpoint: Endpoint
    public let cause: SocketError

    init(_ endpoint: Endpoint, _ error: SystemError) {
        self.endpoint = endpoint
        cause = SocketError(
            error.call, error.code,
            remedy: error.remedy ?? DatagramSocketError.remedy(endpoint, error))
    }

    private static func remedy(_ endpoint: Endpoint, _ error: SystemError) -> String {
        guard error.call == "connect" else {
            return endpoint.bindingRemedy(error.code, for: .datagrams)
        }
        switch error.code {
        case ErrorCode.wrongType:
            return "that is no socket for datagrams: check the path"
        case ErrorCode.access where !endpoint.isUnix:
            return "broadcast addresses need the option allowsBroadcast"
        default:
            return endpoint.connectingRemedy(error.code, call: error.call)
        }
    }
}

extension DatagramSocketError: CustomStringConvertible {
    public var description: String { "cannot open a datagram socket for \(endpoint): \(cause)" }
}
