/// The destination of a received datagram, and the source of an answer to it. ip(7), ipv6(7).
package struct DatagramPath: Sendable, Equatable {
    /// The destination in the header, possibly a multicast or broadcast address. IPv4 addresses on
    /// an IPv6 socket are IPv4-mapped.
    package enum Address: Sendable, Equatable {
        case ipv4(UInt32)
        case ipv6(UInt128)
    }

    package var destination: Address
    /// A local address for answers; nil: the kernel chooses.
    package var source: Address?
    /// The interface's index.
    package var interface: UInt32

    /// ff00::/8.
    static func isGroup(_ address: UInt128) -> Bool { address >> 120 == 0xff }

    static func isLinkLocal(_ address: UInt128) -> Bool { address >> 118 == 0xfe80 >> 6 }
}
