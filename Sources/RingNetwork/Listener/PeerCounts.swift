/// The number of open connections per peer.
struct PeerCounts {
    private var counts: [PeerKey: Int] = [:]

    var peerCount: Int { counts.count }

    func count(of peer: PeerKey) -> Int { counts[peer, default: 0] }

    mutating func add(_ peer: PeerKey) { counts[peer, default: 0] += 1 }

    mutating func remove(_ peer: PeerKey) {
        guard let count = counts[peer] else { return }
        counts[peer] = count > 1 ? count - 1 : nil
    }
}
