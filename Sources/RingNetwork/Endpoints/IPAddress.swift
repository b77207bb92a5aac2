/// An IPv4 or IPv6 address.
public enum IPAddress: Sendable, Hashable {
    /// 32 bits.
    case v4(IPv4Address)
    /// 128 bits. It may stand for an IPv4 address: see ``unmapped``.
    case v6(IPv6Address)

    /// Reads the text form of either version, without brackets and without a zone.
    /// - Throws: ``EndpointError``, with the reason and the remedy.
    public init(_ string: String) throws {
        let text = Array(string.utf8)[...]
        self =
            text.contains(UInt8(ascii: ":"))
            ? .v6(try IPv6Address(text: text)) : .v4(try IPv4Address(text: text))
    }

    /// The IPv4 address for an IPv4-mapped IPv6 address; otherwise the address itself. For
    /// comparing peers with a list of addresses.
    public var unmapped: IPAddress {
        if case .v6(let address) = self, let mapped = address.mappedIPv4 { return .v4(mapped) }
        return self
    }

    /// The same for all addresses of one peer: all of an IPv4 address, the first 64 bits of an IPv6
    /// address.
    var asPeer: IPAddress {
        guard case .v6(let address) = unmapped else { return unmapped }
        return .v6(IPv6Address(rawValue: address.rawValue & ~UInt128(UInt64.max)))
    }

    /// Whether it is the wildcard address.
    public var isUnspecified: Bool { asIPv6.isUnspecified }

    /// Whether it is a loopback address.
    public var isLoopback: Bool { asIPv6.isLoopback }

    /// Whether it is a multicast address.
    public var isMulticast: Bool { asIPv6.isMulticast }

    /// Whether it is valid on one link only.
    public var isLinkLocal: Bool { asIPv6.isLinkLocal }

    private var asIPv6: IPv6Address {
        switch self {
        case .v4(let address): IPv6Address(mapping: address)
        case .v6(let address): address
        }
    }
}

extension IPAddress: CustomStringConvertible {
    public var description: String {
        switch self {
        case .v4(let address): address.description
        case .v6(let address): address.description
        }
    }
}
