internal import LinuxPlatform
internal import RingDispatch
#if TLS
internal import RingTLS
#endif

/// A connection that a ``Connector`` is making.
public final class PendingConnection: Confining {
    /// The endpoint passed to the connector, before its name is resolved.
    public let endpoint: Endpoint
    let options: ConnectorOptions
    /// Also the queue of the connection, unless the options have a placement.
    let queue: DispatchQueue
    /// The state that belongs to `queue`.
    let store = Confined(State())

    struct State {
        /// Called once with the result; nil afterwards.
        fileprivate var deliver: (@Sendable (Result<Connection, ConnectError>) -> Void)?
        fileprivate var lookup: Resolver.Lookup?
        fileprivate var local: SocketAddress?
        /// Addresses not tried yet, in order.
        fileprivate var untried: [Endpoint] = []
        fileprivate var running: [ConnectAttempt] = []
        fileprivate var failed: [ConnectError.Attempt] = []
        /// Starts the next attempt.
        fileprivate var stagger: DispatchScheduledItem?
        fileprivate var timeout: DispatchScheduledItem?
    }

    init(
        to endpoint: Endpoint, _ options: ConnectorOptions,
        deliver: @escaping @Sendable (Result<Connection, ConnectError>) -> Void
    ) {
        self.endpoint = endpoint
        self.options = options
        queue = DispatchQueue(label: "connection")
        confined.deliver = deliver
    }

    /// Cancels the attempt: the completion receives the error `cancelled`, unless it was submitted
    /// already. From any thread.
    public func cancel() {
        queue.async { [self] in fail(.cancelled, ErrorCode.cancelled) }
    }

    /// Called once, by the maker.
    func start() {
        queue.async { [self] in
            guard confined.deliver != nil else { return }
            guard options.timeout.clampedNanoseconds > 0 else {
                return fail(.timedOut, ErrorCode.timedOut)
            }
            do throws(EndpointError) {
                confined.local = try options.localEndpoint?.clientAddress()
            } catch {
                return fail(.invalidEndpoint(error))
            }
            if case .host = endpoint {
                resolve()
            } else {
                confined.untried = [endpoint]
                tryNext()
            }
            // A server of this machine may have answered already.
            guard confined.deliver != nil else { return }
            confined.timeout = queue.scheduleAfter(deadline: .now() + options.timeout) {
                [weak self] in
                self?.fail(.timedOut, ErrorCode.timedOut)
            }
        }
    }

    // MARK: on the queue

    private func resolve() {
        // The timer limits the lookup, too.
        confined.lookup = options.resolver.resolve(
            endpoint, timeout: .never, queue: queue
        ) { [self] answer in
            confined.lookup = nil
            guard confined.deliver != nil else { return }
            switch answer {
            case .success(let endpoints):
                confined.untried = HappyEyeballs.interleaved(endpoints)
                tryNext()
            case .failure(let error):
                fail(.unresolved(error))
            }
        }
    }

    /// Tries addresses until an attempt is in progress.
    private func tryNext() {
        confined.stagger?.cancel()
        confined.stagger = nil
        while confined.deliver != nil && !confined.untried.isEmpty {
            let next = confined.untried.removeFirst()
            do throws(SystemError) {
                try begin(next)
                break
            } catch {
                confined.failed.append(ConnectError.Attempt(next, error))
            }
        }
        guard confined.deliver != nil else { return }
        if confined.running.isEmpty && confined.untried.isEmpty { return fail(.allFailed) }
        guard !confined.untried.isEmpty else { return }
        confined.stagger = queue.scheduleAfter(deadline: .now() + options.attemptDelay) {
            [weak self] in
            self?.tryNext()
        }
    }

    /// Connects a socket, begins an attempt, or fails as a whole.
    /// - Throws: the error of this address.
    private func begin(_ endpoint: Endpoint) throws(SystemError) {
        let address: SocketAddress
        do throws(EndpointError) {
            address = try endpoint.socketAddress()
        } catch {
            return fail(.invalidEndpoint(error))
        }
        if let local = confined.local, local.family != address.family {
            throw SystemError(call: "bind", code: ErrorCode.familyNotSupported)
        }
        let socket = try Sockets.connect(
            to: address, from: confined.local, prepare: options.socket.apply)
        if socket.progress == .connected {
            try succeed(socket.descriptor)
        } else {
            let attempt = ConnectAttempt(
                endpoint, address, socket.descriptor, queue: queue
            ) { [self] attempt, error in
                ended(attempt, error)
            }
            confined.running.append(attempt)
            attempt.start(socket.progress)
        }
    }

    private func ended(_ attempt: ConnectAttempt, _ error: SystemError?) {
        confined.running.removeAll { $0 === attempt }
        do throws(SystemError) {
            if let error {
                Descriptors.close(attempt.descriptor)
                throw error
            }
            try succeed(attempt.descriptor)
        } catch {
            confined.failed.append(ConnectError.Attempt(attempt.endpoint, error))
            // Without a delay, which is for addresses that do not answer.
            tryNext()
        }
    }

    /// Closes the descriptor if it throws.
    private func succeed(_ descriptor: Int32) throws(SystemError) {
        let connection = Connection(
            adopting: descriptor, SocketEndpoints(of: descriptor, isUnix: endpoint.isUnix),
            on: options.placement ?? ConnectionPlacement(queue: queue),
            options: options.connection)
        // When the destination is an unused ephemeral port of this machine, the kernel may choose
        // the same port as the source, so the socket connects to itself (simultaneous open). No
        // server listens there.
        if let local = connection.localEndpoint, !local.isUnix, local == connection.remoteEndpoint {
            throw SystemError(call: "connect", code: ErrorCode.connectionRefused)
        }
        #if TLS
        if let tls = options.tls {
            do throws(TLSError) {
                try connection.secure(tls, options.tlsServerName ?? endpoint.serverName)
            } catch {
                return fail(.insecure(error))
            }
        }
        #endif
        finish(.success(connection))
    }

    /// - Parameter code: the error reported for attempts in progress.
    private func fail(_ reason: ConnectError.Reason, _ code: Int32 = ErrorCode.cancelled) {
        guard confined.deliver != nil else { return }
        let attempts = confined.running.map { attempt in
            ConnectError.Attempt(attempt.endpoint, SystemError(call: "connect", code: code))
        }
        finish(
            .failure(
                ConnectError(
                    endpoint: endpoint, reason: reason, attempts: confined.failed + attempts)))
    }

    private func finish(_ result: Result<Connection, ConnectError>) {
        guard let deliver = confined.deliver.take() else { return }
        confined.lookup?.cancel()
        confined.lookup = nil
        confined.timeout?.cancel()
        confined.stagger?.cancel()
        confined.untried = []
        for attempt in confined.running { attempt.cancel() }
        confined.running = []
        deliver(result)
    }
}
