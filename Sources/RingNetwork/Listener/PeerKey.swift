/// The key under which a peer's connections are counted.
enum PeerKey: Hashable {
    case v4(UInt32)
    /// The first 64 bits.
    case v6(UInt64)

    /// Nil for a Unix socket.
    init?(_ endpoint: Endpoint) {
        switch endpoint.ipAddress?.unmapped {
        case .v4(let address): self = .v4(address.rawValue)
        case .v6(let address): self = .v6(UInt64(address.rawValue >> 64))
        case nil: return nil
        }
    }
}
