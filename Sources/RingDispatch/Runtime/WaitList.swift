internal import Synchronization

/// Threads that wait for something, in order. Part of a state that a lock guards.
struct WaitList: Sendable {
    private var peers: [Peer] = []
    private var first = 0

    var isEmpty: Bool { first == peers.count }

    mutating func append(_ peer: Peer) {
        peers.append(peer)
    }

    mutating func popFirst() -> Peer? {
        guard first < peers.count else { return nil }
        defer {
            first += 1
            if first == peers.count {
                peers.removeAll(keepingCapacity: true)
                first = 0
            }
        }
        return peers[first]
    }

    /// Takes a thread off that gave up; false when it was let go already.
    mutating func remove(_ peer: Peer) -> Bool {
        guard let index = peers[first...].firstIndex(of: peer) else { return false }
        peers.remove(at: index)
        return true
    }

    /// Everybody, oldest first.
    mutating func removeAll() -> [Peer] {
        defer {
            peers.removeAll()
            first = 0
        }
        return Array(peers[first...])
    }
}
