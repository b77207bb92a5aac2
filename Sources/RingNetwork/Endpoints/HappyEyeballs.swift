/// The order in which a client tries a host's addresses. RFC 8305, section 4.
public enum HappyEyeballs {
    /// Alternates the address families, beginning with the first address's, so that a broken family
    /// costs one attempt instead of many. The order within a family is kept; for addresses from a
    /// ``Resolver`` it is RFC 6724's. Endpoints without an IP address go last.
    ///
    /// - Parameter endpoints: the preferred one first.
    public static func interleaved(_ endpoints: [Endpoint]) -> [Endpoint] {
        let addresses = endpoints.filter { $0.ipAddress != nil }
        guard let first = addresses.first else { return endpoints }
        let isFirstV6 = isV6(first)
        var own = addresses.filter { isV6($0) == isFirstV6 }[...]
        var other = addresses.filter { isV6($0) != isFirstV6 }[...]
        var result: [Endpoint] = []
        while !own.isEmpty || !other.isEmpty {
            if let next = own.popFirst() { result.append(next) }
            if let next = other.popFirst() { result.append(next) }
        }
        return result + endpoints.filter { $0.ipAddress == nil }
    }

    /// An IPv4-mapped address counts as IPv4.
    private static func isV6(_ endpoint: Endpoint) -> Bool {
        if case .v6 = endpoint.ipAddress?.unmapped { true } else { false }
    }
}
