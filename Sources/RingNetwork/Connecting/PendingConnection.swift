internal import LinuxPlatform
internal import RingDispatch
#if TLS
internal import RingTLS
#endif

/// A connection that a ``Connector`` is making.
public final class PendingConnection: @unchecked Sendable {
    // Safety: mutable state belongs to `queue`.
    public let endpoint: Endpoint
    let options: ConnectorOptions
    let queue: DispatchQueue
    /// Called once with the result; nil afterwards.
    private var deliver: (@Sendable (Result<Connection, ConnectError>) -> Void)?
    private var lookup: Resolver.Lookup?
    private var local: SocketAddress?
    /// Addresses not tried yet, in order.
    private var untried: [Endpoint] = []
    private var running: [ConnectAttempt] = []
    private var failed: [ConnectError.Attempt] = []
    /// Starts the next attempt.
    private var stagger: DispatchScheduledItem?
    private var timeout: DispatchScheduledItem?

    init(
        to endpoint: Endpoint, _ options: ConnectorOptions,
        deliver: @escaping @Sendable (Result<Connection, ConnectError>) -> Void
    ) {
        self.endpoint = endpoint
        self.options = options
        self.deliver = deliver
        queue = DispatchQueue(label: "connect \(endpoint)")
    }

    /// Cancels the attempt: the completion receives the error `cancelled`, unless it was submitted
    /// already. From any thread.
    public func cancel() {
        queue.async { [self] in fail(.cancelled, ErrorCode.cancelled) }
    }

    /// Called once, by the maker.
    func start() {
        queue.async { [self] in
            guard deliver != nil else { return }
            timeout = queue.scheduleAfter(deadline: .now() + options.timeout) { [weak self] in
                self?.fail(.timedOut, ErrorCode.timedOut)
            }
            do throws(EndpointError) {
                local = try options.localEndpoint?.socketAddress()
            } catch {
                return fail(.invalidEndpoint(error))
            }
            if case .host = endpoint { return resolve() }
            untried = [endpoint]
            tryNext()
        }
    }

    // MARK: on the queue

    private func resolve() {
        // The timer above limits the lookup, too.
        lookup = options.resolver.resolve(
            endpoint, timeout: .never, queue: queue
        ) { [self] answer in
            lookup = nil
            guard deliver != nil else { return }
            switch answer {
            case .success(let endpoints):
                untried = HappyEyeballs.interleaved(
                    endpoints, firstFamilyCount: options.firstFamilyCount)
                tryNext()
            case .failure(let error):
                fail(.unresolved(error))
            }
        }
    }

    /// Tries addresses until an attempt is in progress.
    private func tryNext() {
        stagger?.cancel()
        stagger = nil
        while deliver != nil && !untried.isEmpty {
            let next = untried.removeFirst()
            do throws(SystemError) {
                if try begin(next) { break }
            } catch {
                failed.append(ConnectError.Attempt(next, error))
            }
        }
        guard deliver != nil else { return }
        if running.isEmpty && untried.isEmpty { return fail(.allFailed) }
        guard !untried.isEmpty else { return }
        stagger = queue.scheduleAfter(deadline: .now() + options.attemptDelay) { [weak self] in
            self?.tryNext()
        }
    }

    /// Returns true if the socket is connected or an attempt is in progress, and false if the whole
    /// attempt has failed.
    private func begin(_ endpoint: Endpoint) throws(SystemError) -> Bool {
        let address: SocketAddress
        do throws(EndpointError) {
            address = try endpoint.socketAddress()
        } catch {
            fail(.invalidEndpoint(error))
            return false
        }
        if let local, local.family != address.family {
            throw SystemError(call: "bind", code: ErrorCode.familyNotSupported)
        }
        let socket = try Sockets.connect(to: address, from: local, prepare: options.socket.apply)
        if socket.progress == .connected {
            succeed(socket.descriptor)
        } else {
            let attempt = ConnectAttempt(
                endpoint, address, socket.descriptor, queue: queue
            ) { [self] attempt, error in
                ended(attempt, error)
            }
            running.append(attempt)
            attempt.start(socket.progress)
        }
        return true
    }

    private func ended(_ attempt: ConnectAttempt, _ error: SystemError?) {
        running.removeAll { $0 === attempt }
        guard deliver != nil else { return Sockets.close(attempt.descriptor) }
        guard let error else { return succeed(attempt.descriptor) }
        Sockets.close(attempt.descriptor)
        failed.append(ConnectError.Attempt(attempt.endpoint, error))
        // Without a delay, which is for addresses that do not answer.
        if !untried.isEmpty { tryNext() } else if running.isEmpty { fail(.allFailed) }
    }

    private func succeed(_ descriptor: Int32) {
        let connection =
            if let placement = options.placement {
                Connection(adopting: descriptor, on: placement, options: options.connection)
            } else {
                Connection(
                    adopting: descriptor, target: options.connectionTarget,
                    options: options.connection)
            }
        #if TLS
        if let tls = options.tls {
            do throws(TLSError) {
                let name = options.tlsServerName ?? endpoint.serverName
                try connection.secure(with: tls, serverName: name)
            } catch {
                return fail(.insecure(error))
            }
        }
        #endif
        finish(.success(connection))
    }

    /// - Parameter code: the error reported for attempts in progress.
    private func fail(_ reason: ConnectError.Reason, _ code: Int32 = ErrorCode.cancelled) {
        guard deliver != nil else { return }
        let attempts = running.map { attempt in
            ConnectError.Attempt(attempt.endpoint, SystemError(call: "connect", code: code))
        }
        finish(
            .failure(
                ConnectError(endpoint: endpoint, reason: reason, attempts: failed + attempts)))
    }

    private func finish(_ result: Result<Connection, ConnectError>) {
        guard let deliver = deliver.take() else { return }
        lookup?.cancel()
        lookup = nil
        timeout?.cancel()
        stagger?.cancel()
        untried = []
        for attempt in running { attempt.cancel() }
        deliver(result)
    }
}
