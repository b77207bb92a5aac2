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
    /// Runs the steps of all lookups, except what blocks.
    let queue = DispatchQueue(label: "resolver")
    /// Belongs to `queue`.
    private let state = Confined(State())

    private struct State {
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
    /// - Throws: ``ResolverError``; `CancellationError` if the task is cancelled.
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
        if case .failure(let error) = answer, error.reason == .cancelled {
            throw CancellationError()
        }
        return try answer.get()
    }

    /// Resolves an endpoint, with the time limit as a `Duration`.
    /// - Throws: ``ResolverError``; `CancellationError` if the task is cancelled.
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

// On the queue.
extension Resolver {
    /// Starts or queues a lookup. Returns false if too many wait.
    func admit(_ lookup: Lookup) -> Bool {
        if state.value.running < lookupLimit {
            state.value.running += 1
            run(lookup)
            return true
        }
        guard state.value.waiting.count < Resolver.waitingLimit else { return false }
        state.value.waiting.append(lookup)
        return true
    }

    /// Removes a lookup from the waiting ones. Returns whether it was one.
    @discardableResult
    func forget(_ lookup: Lookup) -> Bool {
        guard let index = state.value.waiting.firstIndex(where: { $0 === lookup }) else {
            return false
        }
        state.value.waiting.remove(at: index)
        return true
    }

    /// For tests. From any thread.
    package var counts: (running: Int, waiting: Int) {
        queue.sync { (state.value.running, state.value.waiting.count) }
    }

    /// Runs a lookup, which is counted in `running`, and then those that wait.
    private func run(_ lookup: Lookup) {
        guard case .host(let host, let port) = lookup.endpoint else { return }
        DispatchQueue.global().async { [self] in
            // One that was cancelled meanwhile keeps no other one waiting.
            let answer = queue.sync { lookup.isOver } ? nil : ask(host, port)
            queue.async { [self] in
                if let answer { lookup.finish(answer) }
                if state.value.waiting.isEmpty {
                    state.value.running -= 1
                } else {
                    run(state.value.waiting.removeFirst())
                }
            }
        }
    }

    /// Blocks.
    private func ask(_ host: HostName, _ port: UInt16) -> Answer {
        Blocking.begin()
        do throws(NameLookupError) {
            let endpoints = try addresses(host).compactMap { Endpoint($0) }
                .filter { $0.ipAddress != nil }
            if endpoints.isEmpty { throw NameLookupError.notFound }
            return .success(endpoints.map { $0.withPort(port) })
        } catch {
            return .failure(ResolverError(host, error))
        }
    }
}
