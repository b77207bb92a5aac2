package import LinuxPlatform
public import RingDispatch

/// Resolves host names with getaddrinfo(3), on threads that may block, off the event loops.
///
/// Addresses are returned in the order of RFC 6724; ``HappyEyeballs`` alternates the families.
/// `localhost` and names below it are this machine's loopback addresses, without a lookup (RFC
/// 6761). An endpoint that is not a host name is returned unchanged.
///
/// A running lookup cannot be stopped: only its answer is dropped, and its thread stays blocked. So
/// a resolver limits the number of concurrent lookups, and others wait in order.
public final class Resolver: Sendable {
    /// The default resolver of connectors.
    public static let shared = Resolver()

    /// The default of ``lookupLimit``.
    public static let defaultLookupLimit = 8
    /// Most lookups that may wait for their turn.
    public static let waitingLimit = 1024
    /// The time in which the C library asks one name server and then another.
    public static let defaultTimeout = DispatchTimeInterval.seconds(10)

    /// Most lookups that block a thread at the same time.
    public let lookupLimit: Int

    typealias Answer = Result<[Endpoint], ResolverError>

    private let addresses: @Sendable (HostName) throws(NameLookupError) -> [SocketAddress]
    /// Guards the running count and the waiting lookups. Not held while another lock is taken.
    private let state = Locked(State())

    private struct State: Sendable {
        var running = 0
        /// At most `waitingLimit`, oldest first.
        var waiting: [Lookup] = []
    }

    /// - Parameter lookupLimit: most lookups that may block a thread at the same time; less than 1
    ///   ends the process.
    public convenience init(lookupLimit: Int = Resolver.defaultLookupLimit) {
        self.init(lookupLimit: lookupLimit) { host throws(NameLookupError) in
            try host.isLocalhost
                ? Resolver.loopbackAddresses() : NameLookup.addresses(of: host.name)
        }
    }

    /// - Parameter addresses: replaces the C library; may block.
    package init(
        lookupLimit: Int,
        addresses: @escaping @Sendable (HostName) throws(NameLookupError) -> [SocketAddress]
    ) {
        guard lookupLimit > 0 else {
            fatalMisuse("a Resolver cannot have the lookupLimit \(lookupLimit)")
        }
        self.lookupLimit = lookupLimit
        self.addresses = addresses
    }

    /// Resolves an endpoint, and submits `completion` to `queue`, exactly once.
    ///
    /// - Parameters:
    ///   - endpoint: one without a host name is its own result.
    ///   - timeout: the longest time until the completion is submitted, including the wait for a
    ///     turn; a later answer is dropped. 0 or less: it times out at once. `.never`: no limit.
    ///   - queue: runs the completion.
    ///   - completion: receives the error, or at least one endpoint, each with an address and the
    ///     requested port.
    /// - Returns: a handle that can cancel the lookup. It need not be kept.
    @discardableResult
    public func resolve(
        _ endpoint: Endpoint, timeout: DispatchTimeInterval = Resolver.defaultTimeout,
        queue: DispatchQueue,
        completion: @escaping @Sendable (Result<[Endpoint], ResolverError>) -> Void
    ) -> Lookup {
        let lookup = Lookup(self, endpoint) { answer in
            queue.async { completion(answer) }
        }
        lookup.start(timeout: timeout)
        return lookup
    }

    /// Resolves an endpoint. Cancelling the task cancels the lookup.
    /// - Throws: ``ResolverError``, also if the task is cancelled.
    public func resolve(
        _ endpoint: Endpoint, timeout: DispatchTimeInterval = Resolver.defaultTimeout
    ) async throws -> [Endpoint] {
        let mailbox = Mailbox<Answer>()
        let lookup = Lookup(self, endpoint) { answer in mailbox.post { $0 = answer } }
        let answer = await withTaskCancellationHandler {
            lookup.start(timeout: timeout)
            return await mailbox.nextUninterrupted()
        } onCancel: {
            lookup.cancel()
        }
        guard let answer else { fatalError("unreachable: a lookup ended without an answer") }
        return try answer.get()
    }

    /// Resolves an endpoint, with the time limit as a `Duration`.
    /// - Throws: ``ResolverError``, also if the task is cancelled.
    @_disfavoredOverload
    public func resolve(
        _ endpoint: Endpoint, timeout: Duration
    ) async throws -> [Endpoint] {
        try await resolve(endpoint, timeout: DispatchTimeInterval(timeout))
    }

    /// In the order of RFC 6724; without IPv6 if the machine has none.
    private static func loopbackAddresses() -> [SocketAddress] {
        let ipv6 = SocketAddress(ipv6: IPv6Address.loopback.rawValue, port: 9)
        let ipv4 = SocketAddress(ipv4: IPv4Address.loopback.rawValue, port: 9)
        return NameLookup.hasRoute(to: ipv6) ? [ipv6, ipv4] : [ipv4]
    }
}

extension Resolver {
    /// Starts or queues a lookup. Returns false if too many wait.
    func admit(_ lookup: Lookup) -> Bool {
        enum Decision {
            case run
            case wait
            case refuse
        }
        let decision = state.withLock { state -> Decision in
            if state.running < lookupLimit {
                state.running += 1
                return .run
            }
            guard state.waiting.count < Resolver.waitingLimit else { return .refuse }
            state.waiting.append(lookup)
            return .wait
        }
        if decision == .run { submit(lookup) }
        return decision != .refuse
    }

    /// Removes an ended lookup from the waiting ones.
    func forget(_ lookup: Lookup) {
        state.withLock { state in state.waiting.removeAll { $0 === lookup } }
    }

    /// For tests.
    package var counts: (running: Int, waiting: Int) {
        state.withLock { ($0.running, $0.waiting.count) }
    }

    /// Runs a lookup, which is counted in `running`.
    private func submit(_ lookup: Lookup) {
        DispatchQueue.global().async { [self] in
            run(lookup)
            let next = state.withLock { state -> Lookup? in
                if !state.waiting.isEmpty { return state.waiting.removeFirst() }
                state.running -= 1
                return nil
            }
            // Submitted, not run here, so that other users of the global queue get their turn.
            if let next { submit(next) }
        }
    }

    private func run(_ lookup: Lookup) {
        guard let host = lookup.beginTurn() else { return }
        Blocking.begin()
        do throws(NameLookupError) {
            let endpoints = try addresses(host).compactMap { Endpoint($0) }
                .filter { $0.ipAddress != nil }
            if endpoints.isEmpty { throw NameLookupError.notFound }
            lookup.finish(.success(endpoints.map { $0.withPort(lookup.endpoint.port ?? 0) }))
        } catch {
            lookup.finish(.failure(ResolverError(host, error)))
        }
    }
}
