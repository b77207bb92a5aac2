package import LinuxPlatform
public import RingDispatch

/// Finds the addresses of hosts: getaddrinfo(3) on threads that may block, off the event loops.
///
/// Addresses come in the order in which RFC 6724 wants them tried; ``HappyEyeballs`` puts the
/// families in turns. `localhost` and names below it are this machine's loopback addresses, and
/// nobody is asked (RFC 6761). An endpoint that needs no resolving is its own answer.
///
/// A lookup that takes long cannot be stopped, only its answer be dropped: it keeps its thread. So
/// a resolver makes a limited number of lookups at once, and others wait in order.
public final class Resolver: Sendable {
    /// The one that connections use.
    public static let shared = Resolver()

    /// How many lookups block a thread at once, where nothing else is asked for.
    public static let defaultLookupLimit = 8
    /// How many more may wait for their turn.
    public static let waitingLimit = 1024
    /// As long as the C library asks one name server, and then another.
    public static let defaultTimeout = DispatchTimeInterval.seconds(10)

    /// How many lookups block a thread at once.
    public let lookupLimit: Int

    typealias Answer = Result<[Endpoint], ResolverError>

    private let addresses: @Sendable (HostName) throws(NameLookupError) -> [SocketAddress]
    /// Guards which lookups run and which wait. Not held while others' locks are taken.
    private let state = Locked(State())

    private struct State: Sendable {
        var running = 0
        /// At most `waitingLimit`, the oldest first.
        var waiting: [Lookup] = []
    }

    /// - Parameter lookupLimit: how many lookups may block a thread at once; at least 1.
    public convenience init(lookupLimit: Int = Resolver.defaultLookupLimit) {
        self.init(lookupLimit: lookupLimit) { host throws(NameLookupError) in
            try host.isLocalhost
                ? Resolver.loopbackAddresses() : NameLookup.addresses(of: host.name)
        }
    }

    /// - Parameter addresses: asked instead of the C library; may block.
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

    /// Looks an endpoint's addresses up, and submits `completion` to `queue` with them, once in any
    /// case.
    ///
    /// - Parameters:
    ///   - timeout: how long the completion may take to be submitted, time in line included; an
    ///     answer that comes later is dropped. `.never`: until there is an answer.
    ///   - completion: given one endpoint or more, each with an address and the port that was asked
    ///     for; or what went wrong.
    /// - Returns: what the lookup can be cancelled with. It goes on without it, too.
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

    /// Looks an endpoint's addresses up. Cancelling the task cancels the lookup.
    public func resolve(
        _ endpoint: Endpoint, timeout: DispatchTimeInterval = Resolver.defaultTimeout
    ) async throws(ResolverError) -> [Endpoint] {
        let promise = Promise<Answer>()
        let lookup = Lookup(self, endpoint) { promise.fulfil($0) }
        let answer = await withTaskCancellationHandler {
            lookup.start(timeout: timeout)
            return await promise.value
        } onCancel: {
            lookup.cancel()
        }
        return try answer.get()
    }

    /// In RFC 6724's order. The machine may have no IPv6.
    private static func loopbackAddresses() -> [SocketAddress] {
        let ipv6 = SocketAddress(ipv6: IPv6Address.loopback.rawValue, port: 9)
        let ipv4 = SocketAddress(ipv4: IPv4Address.loopback.rawValue, port: 9)
        return NameLookup.hasRoute(to: ipv6) ? [ipv6, ipv4] : [ipv4]
    }
}

extension Resolver {
    /// Looks up now or later. False: too many wait.
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

    /// The lookup has ended; it may still wait for its turn.
    func forget(_ lookup: Lookup) {
        state.withLock { state in state.waiting.removeAll { $0 === lookup } }
    }

    /// How many lookups block a thread or are about to, and how many wait. For tests.
    package var counts: (running: Int, waiting: Int) {
        state.withLock { ($0.running, $0.waiting.count) }
    }

    /// One of `lookupLimit` places is the lookup's.
    private func submit(_ lookup: Lookup) {
        DispatchQueue.global().async { [self] in
            run(lookup)
            let next = state.withLock { state -> Lookup? in
                if !state.waiting.isEmpty { return state.waiting.removeFirst() }
                state.running -= 1
                return nil
            }
            // Submitted, not run here: others that wait for a thread come before it.
            if let next { submit(next) }
        }
    }

    private func run(_ lookup: Lookup) {
        guard let host = lookup.beginTurn() else { return }
        BlockingCall.begin()
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
