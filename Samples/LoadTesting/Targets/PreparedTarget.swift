internal import RingDispatch
internal import RingNetwork

#if TLS
internal import RingTLS
#endif

/// A resolved target with its connectors. Each shard has its own.
final class PreparedTarget: Sendable {
    let target: LoadTarget
    /// An address, never a name.
    let endpoint: Endpoint
    private let connectors: [Connector]

    static let connectTimeout = DispatchTimeInterval.seconds(10)

    /// - Parameter endpoint: the target's resolved address.
    init(
        _ target: LoadTarget, endpoint: Endpoint, plan: LoadPlan, placement: ConnectionPlacement
    ) throws(LoadFailure) {
        self.target = target
        self.endpoint = endpoint
        var options = ConnectorOptions()
        options.timeout = Self.connectTimeout
        options.placement = placement
        // Otherwise a server that stops reading until its answers are read would never continue.
        options.connection.pausesReceivingWhileUnwritable = false
        // How long a server stalls is a result.
        options.connection.timeouts.send = .never
        #if TLS
        if target.isSecured {
            var configuration = plan.tls
            if target.isHTTP { configuration.applicationProtocols = ["http/1.1"] }
            do {
                options.tls = try TLSContext(configuration)
            } catch {
                throw LoadFailure("\(target): \(error)")
            }
            options.tlsServerName = plan.tlsServerName ?? Self.name(of: target.endpoint)
        }
        #endif
        let hasSources = !plan.sources.isEmpty && target.scheme != .unix
        let sources: [IPAddress?] = hasSources ? plan.sources : [nil]
        connectors = sources.map { source in
            var options = options
            options.localEndpoint = source.map { Endpoint($0, port: 0) }
            return Connector(options: options)
        }
    }

    /// - Parameter number: the number of the connection, which selects the local address.
    func connector(_ number: Int) -> Connector { connectors[number % connectors.count] }

    #if TLS
    private static func name(of endpoint: Endpoint) -> String? {
        if case .host(let name, _) = endpoint { return name.name }
        return endpoint.ipAddress.map { "\($0)" }
    }
    #endif

    /// The error for a connection that ended without a close by the load.
    func finding(of reason: CloseReason) -> Finding {
        switch reason {
        case .failed(let error):
            if error.code == .connectionReset || error.code == .brokenPipe {
                return Finding(.reset, "the server reset a connection (\(error))")
            }
            return Finding(error.call == "recv" ? .receive : .send, "\(error)")
        case .tlsFailed(let failure):
            return Finding(
                .receive,
                "\(target): \(failure) (--ca FILE names trusted certificates, --insecure "
                    + "accepts any)")
        case .timedOut:
            return Finding(.connect, "\(target): no handshake in time; is it a TLS server?")
        default: return Finding(.closedByServer, "the server closed a connection")
        }
    }
}
