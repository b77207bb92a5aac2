internal import LinuxPlatform

/// An IPv6 address, without the zone of a link-local one; see ``InterfaceZone``.
///
/// An IPv4-mapped address, such as ::ffff:127.0.0.1, stands for an IPv4 address: a socket that
/// serves both families reports IPv4 peers like that. Properties such as `isLoopback` answer for
/// the IPv4 address, so a check for local peers works for both.
public struct IPv6Address: Sendable, Hashable {
    /// The address as a number: 1 is ::1.
    public let rawValue: UInt128

    /// An address from its number in the machine's own byte order: 1 is ::1.
    public init(rawValue: UInt128) {
        self.rawValue = rawValue
    }

    /// The IPv4-mapped address of an IPv4 address: ::ffff:192.0.2.1.
    public init(mapping address: IPv4Address) {
        rawValue = 0xffff_0000_0000 | UInt128(address.rawValue)
    }

    /// Reads any text form of RFC 4291, without brackets and without a zone.
    /// - Throws: ``EndpointError``, with the reason and the remedy.
    public init(_ string: String) throws {
        self = try IPv6Address(text: Array(string.utf8)[...])
    }

    /// The wildcard address for servers: `::`.
    public static let any = IPv6Address(rawValue: 0)
    /// `::1`.
    public static let loopback = IPv6Address(rawValue: 1)

    /// The IPv4 address of a mapped one (::ffff:0:0/96).
    public var mappedIPv4: IPv4Address? {
        rawValue >> 32 == 0xffff ? IPv4Address(rawValue: UInt32(truncatingIfNeeded: rawValue)) : nil
    }

    /// `::`, or 0.0.0.0 mapped.
    public var isUnspecified: Bool { mappedIPv4?.isUnspecified ?? (rawValue == 0) }
    /// `::1`, or 127.0.0.0/8 mapped.
    public var isLoopback: Bool { mappedIPv4?.isLoopback ?? (rawValue == 1) }
    /// ff00::/8, or 224.0.0.0/4 mapped.
    public var isMulticast: Bool { mappedIPv4?.isMulticast ?? (rawValue >> 120 == 0xff) }
    /// fe80::/10, or 169.254.0.0/16 mapped.
    public var isLinkLocal: Bool { mappedIPv4?.isLinkLocal ?? (rawValue >> 118 == 0xfe80 >> 6) }
}

extension IPv6Address: CustomStringConvertible {
    /// The form of RFC 5952: lower case, no leading zeros, `::` for the longest run of zeros, and
    /// the last 32 bits of an IPv4-mapped address as an IPv4 address.
    public var description: String {
        if let mappedIPv4 { return "::ffff:\(mappedIPv4)" }
        let groups = (0..<8).map { UInt16(truncatingIfNeeded: rawValue >> (112 - 16 * $0)) }
        func text(_ range: Range<Int>) -> String {
            groups[range].map { String($0, radix: 16) }.joined(separator: ":")
        }
        guard let zeros = IPv6Address.longestZeros(groups) else { return text(0..<8) }
        return text(0..<zeros.lowerBound) + "::" + text(zeros.upperBound..<8)
    }

    /// The first of the longest runs of at least two zero groups.
    private static func longestZeros(_ groups: [UInt16]) -> Range<Int>? {
        var longest: Range<Int>?
        var start = 0
        while start < groups.count {
            let end = groups[start...].firstIndex { $0 != 0 } ?? groups.count
            if end - start > max(1, longest?.count ?? 0) { longest = start..<end }
            start = end + 1
        }
        return longest
    }
}

extension IPv6Address {
    init(text: ArraySlice<UInt8>) throws(EndpointError) {
        guard let number = AddressText.number(text, as: UInt128.self) else {
            throw EndpointError(
                .invalidIPv6Address, text, "is not an IPv6 address",
                remedy: "write eight groups of up to four hexadecimal digits, separated by colons; "
                    + ":: may replace groups of zeros, such as 2001:db8::1")
        }
        rawValue = number
    }
}
