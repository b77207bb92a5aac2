internal import Glibc
internal import RingDispatch
package import RingNetwork

/// Resolves `--host` and `--port` to addresses.
package enum ListeningAddress {
    /// Resolves a name, blocking, so it must not run on a queue. IPv4 addresses are first, since
    /// clients of "localhost" try those.
    /// - Parameter host: an address, or a name; IPv6 addresses with or without brackets.
    private static func find(host: String, port: UInt16) throws -> [Endpoint] {
        let isBracketed = host.hasPrefix("[") && host.hasSuffix("]")
        let name = isBracketed ? String(host.dropFirst().dropLast()) : host
        do {
            let endpoint = try Endpoint(host: name, port: port)
            guard endpoint.ipAddress == nil else { return [endpoint] }
            let found = try resolve(endpoint)
            return found.filter { $0.isIPv4 } + found.filter { !$0.isIPv4 }
        } catch {
            throw failure(host, error)
        }
    }

    private static func failure(_ host: String, _ error: any Error) -> Failure {
        Failure(
            "--host \(host): \(error). Give an address or name of this machine: 127.0.0.1, "
                + "[::1], localhost, or 0.0.0.0 for all addresses")
    }

    private static func resolve(_ endpoint: Endpoint) throws -> [Endpoint] {
        let answer = Locked<Result<[Endpoint], ResolverError>?>(nil)
        let isThere = DispatchSemaphore(value: 0)
        let queue = DispatchQueue(label: "listening-address")
        Resolver.shared.resolve(endpoint, queue: queue) { result in
            answer.withLock { $0 = result }
            isThere.signal()
        }
        isThere.wait()
        return try answer.withLock { $0 }?.get() ?? []
    }

    /// Whether this machine lacks the address, or its kind, such as IPv6.
    private static func isMissing(_ code: ErrorNumber) -> Bool {
        code == .addressNotAvailable || code.rawValue == EAFNOSUPPORT
    }

    /// Calls `make` with one address after the other until it succeeds. A listener that fails for
    /// another reason than a missing address is the end.
    package static func first<Made>(
        host: String, port: UInt16, _ make: (Endpoint) throws -> Made
    ) throws -> Made {
        var failure: any Error = Failure("--host \(host): there is no such address")
        for endpoint in try find(host: host, port: port) {
            do {
                return try make(endpoint)
            } catch let error as EndpointError {
                failure = self.failure(host, error)
            } catch let error as ListenerError where !isMissing(error.cause.code) {
                // Clients would reach whatever has the port of the first address.
                throw error
            } catch {
                failure = error
            }
        }
        throw failure
    }
}

extension Endpoint {
    fileprivate var isIPv4: Bool { if case .ipv4 = self { true } else { false } }
}
