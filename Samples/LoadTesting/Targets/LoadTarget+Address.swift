internal import RingDispatch
internal import RingNetwork

extension LoadTarget {
    /// Finds the address before the load, so that all connections use one that has answered.
    /// - Parameter completion: called once; on the queue, if there is a name to resolve.
    func findAddress(
        queue: DispatchQueue,
        completion: @escaping @Sendable (Result<Endpoint, LoadFailure>) -> Void
    ) {
        guard case .host = endpoint else { return completion(.success(endpoint)) }
        if scheme == .udp {
            Resolver.shared.resolve(endpoint, queue: queue) { answer in
                completion(answer.map { $0[0] }.mapError(unresolved))
            }
            return
        }
        var options = ConnectorOptions()
        options.timeout = PreparedTarget.connectTimeout
        Connector(options: options).connect(to: endpoint, queue: queue) { result in
            let answer = result.map { connection in
                connection.close()
                return connection.remoteEndpoint ?? endpoint
            }
            completion(answer.mapError(failure))
        }
    }

    private func failure(_ error: ConnectError) -> LoadFailure {
        if case .unresolved(let cause) = error.reason { return unresolved(cause) }
        return LoadFailure(finding(of: error).detail)
    }

    private func unresolved(_ error: any Error) -> LoadFailure {
        LoadFailure("cannot find the address of \(place): \(error)")
    }
}
