internal import Ring

/// A socket that cannot listen at an endpoint, or accept there any more: where, why, and what to do
/// about it.
public struct ListenerError: Error {
    public let endpoint: Endpoint
    public let cause: SocketError

    init(_ endpoint: Endpoint, _ error: KernelError) {
        self.endpoint = endpoint
        cause = SocketError(
            error.call, error.code,
            remedy: error.remedy ?? ListenerError.remedy(endpoint, error.code))
    }

    private static func remedy(_ endpoint: Endpoint, _ code: Int32) -> String {
        switch code {
        case ErrorCode.addressInUse:
            if case .unix = endpoint {
                return "another server listens there, or left the file behind: remove it, or set "
                    + "replacesStaleUnixSocket"
            }
            return "another program listens there: stop it (ss -ltnp shows it), or take another "
                + "port; port 0 takes a free one"
        case ErrorCode.addressNotAvailable:
            return "the address is none of this machine's: 'ip address' lists them"
        case ErrorCode.noEntry:
            return "the folder that the path names does not exist: create it first"
        case ErrorCode.access:
            if case .unix = endpoint {
                return "the folder that the path names cannot be written to: take another path"
            }
            return "ports below 1024 need the capability CAP_NET_BIND_SERVICE: take a higher one"
        default:
            return ""
        }
    }
}

extension ListenerError: CustomStringConvertible {
    public var description: String {
        let step = cause.call == "accept" ? "accept at" : "listen on"
        return "cannot \(step) \(endpoint): \(cause)"
    }
}
