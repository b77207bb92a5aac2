/// Whose connections are counted together.
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
            // A shift by 128 leaves nothing.
            self = .v6((address.rawValue >> UInt128(hostBits)) << UInt128(hostBits))
        case nil: return nil
        }
    }
}

/// How many connections each peer has: those that have any.
struct PeerCounts {
    private var counts: [PeerKey: Int] = [:]

    var peerCount: Int { counts.count }

    /// False, and nothing is counted, when the peer has as many already.
    mutating func add(_ peer: PeerKey, limit: Int) -> Bool {
        let count = counts[peer, default: 0]
        guard count < limit else { return false }
        counts[peer] = count + 1
        return true
    }

    mutating func remove(_ peer: PeerKey) {
        guard let count = counts[peer] else { return }
        counts[peer] = count > 1 ? count - 1 : nil
    }
}
