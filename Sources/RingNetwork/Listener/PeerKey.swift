/// The key under which a peer's connections are counted.
enum PeerKey: Hashable {
    case v4(UInt32)
    /// The prefix; all other bits are 0.
    case v6(UInt128)

    /// Nil for a Unix socket.
    init?(_ endpoint: Endpoint, ipv6PrefixLength: Int) {
        switch endpoint.ipAddress?.unmapped {
        case .v4(let address): self = .v4(address.rawValue)
        case .v6(let address):
            let hostBits = 128 - max(0, min(128, ipv6PrefixLength))
            // A shift of a UInt128 by 128 yields 0.
            self = .v6((address.rawValue >> UInt128(hostBits)) << UInt128(hostBits))
        case nil: return nil
        }
    }
}
