internal import LinuxPlatform

/// Why a datagram socket cannot be opened, and the remedy.
public struct DatagramSocketError: Error {
    /// The endpoint to bind or to connect to.
    public let endpoint: Endpoint
    /// The call that failed: `socket`, `bind`, `connect` or another, with a remedy.
    public let cause: SocketError

    init(_ endpoint: Endpoint, _ error: SystemError) {
        self.endpoint = endpoint
        cause = SocketError(
            error.call, error.code,
            remedy: error.remedy ?? DatagramSocketError.remedy(endpoint, error))
    }

    private static func remedy(_ endpoint: Endpoint, _ error: SystemError) -> String {
        guard error.call == "connect" else {
            return endpoint.bindingRemedy(error.code, listens: false)
        }
        switch error.code {
        case ErrorCode.wrongType:
            return "that is not a datagram socket: check the path"
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
