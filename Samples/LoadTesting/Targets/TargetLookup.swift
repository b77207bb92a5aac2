internal import RingDispatch
internal import RingNetwork

/// Resolves the targets' names one after the other before the load, so that all connections use an
/// address that has answered. Runs on its queue.
final class TargetLookup: @unchecked Sendable {
    // Safety: only `queue` touches the state.
    private let queue: DispatchQueue
    private var untried: [LoadTarget]
    private var found: [(LoadTarget, Endpoint)] = []
    private let completion: (Result<[(LoadTarget, Endpoint)], LoadFailure>) -> Void

    /// - Parameter completion: called once, on the queue.
    init(
        _ targets: [LoadTarget], queue: DispatchQueue,
        completion: @escaping (Result<[(LoadTarget, Endpoint)], LoadFailure>) -> Void
    ) {
        untried = targets.reversed()
        self.queue = queue
        self.completion = completion
    }

    func next() {
        guard let target = untried.popLast() else { return completion(.success(found)) }
        guard case .host = target.endpoint else { return add(target, target.endpoint) }
        target.scheme == .udp ? resolve(target) : probe(target)
    }

    private func add(_ target: LoadTarget, _ endpoint: Endpoint) {
        found.append((target, endpoint))
        next()
    }

    private func resolve(_ target: LoadTarget) {
        Resolver.shared.resolve(target.endpoint, queue: queue) { [self] answer in
            switch answer {
            case .success(let endpoints) where !endpoints.isEmpty: add(target, endpoints[0])
            case .success: fail("\(target): the name has no address")
            case .failure(let error): fail("cannot find the address of \(target.place): \(error)")
            }
        }
    }

    /// Connects in order to find the first address that answers.
    private func probe(_ target: LoadTarget) {
        var options = ConnectorOptions()
        options.timeout = PreparedTarget.connectTimeout
        Connector(options: options).connect(to: target.endpoint, queue: queue) { [self] result in
            switch result {
            case .success(let connection):
                let endpoint = connection.remoteEndpoint
                connection.close()
                add(target, endpoint ?? target.endpoint)
            case .failure(let error):
                if case .unresolved(let cause) = error.reason {
                    return fail("cannot find the address of \(target.place): \(cause)")
                }
                fail(target.finding(of: error).detail)
            }
        }
    }

    private func fail(_ text: String) { completion(.failure(LoadFailure(text))) }
}
