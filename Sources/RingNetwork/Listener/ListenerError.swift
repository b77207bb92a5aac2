internal import LinuxPlatform
internal import RingDispatch

/// Why a socket cannot listen or accept at an endpoint, and the remedy.
public struct ListenerError: Error {
    /// The endpoint that failed, of those passed to the listener.
    public let endpoint: Endpoint
    /// The call that failed: `socket`, `bind`, `listen`, `accept` or another, with a remedy.
    public let cause: SocketError

    /// Whether the endpoint is lost. False: accepting resumes when descriptors and memory are
    /// available.
    public var isFinal: Bool {
        cause.call != "accept" || !ErrorCode.isPassingAcceptError(cause.code.rawValue)
    }

    init(_ endpoint: Endpoint, _ error: SystemError) {
        self.endpoint = endpoint
        cause = SocketError(
            error.call, error.code,
            remedy: error.remedy ?? endpoint.bindingRemedy(error.code, listens: true))
    }
}

extension ListenerError: CustomStringConvertible {
    public var description: String {
        let step = cause.call == "accept" ? "accept at" : "listen on"
        return "cannot \(step) \(endpoint): \(cause)"
    }
}
