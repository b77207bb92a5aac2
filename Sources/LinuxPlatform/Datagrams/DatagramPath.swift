/// Where a datagram came to, and where an answer to it is to come from. ip(7), ipv6(7).
package struct DatagramPath: Sendable, Equatable {
    /// The address in the datagram's header, which may be a group's or a broadcast address. On an
    /// IPv6 socket IPv4 addresses are mapped.
    package enum Address: Sendable, Equatable {
        case ipv4(UInt32)
        case ipv6(UInt128)
    }

    package var destination: Address
    /// An address of the machine's that answers can have; nil where the kernel is to choose.
    package var source: Address?
    /// The interface's index.
    package var interface: UInt32

    /// ff00::/8, and 224.0.0.0/4 as a mapped address.
    static func isGroup(_ address: UInt128) -> Bool {
        address >> 120 == 0xff || address >> 28 == 0xffff_e
    }

    static func isLinkLocal(_ address: UInt128) -> Bool { address >> 118 == 0xfe80 >> 6 }
}
