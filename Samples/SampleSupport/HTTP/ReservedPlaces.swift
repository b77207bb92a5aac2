internal import RingDispatch
internal import RingNetwork

/// The last free connections of an HTTP server. While all are taken, each new client ends the one
/// that has waited for a request the longest. Who asks for health or metrics sends the request at
/// once, and so does not wait for clients that send nothing.
final class ReservedPlaces: Sendable {
    /// Those that have not sent their request, the oldest first.
    private let silent = Locked<[Connection]>([])

    func add(_ connection: Connection) {
        silent.withLock { $0.append(connection) }
    }

    /// On the connection's queue, when its request has arrived or it is closed.
    /// - Returns: whether the connection was still silent.
    @discardableResult
    func remove(_ connection: Connection) -> Bool {
        silent.withLock { silent in
            guard let place = silent.firstIndex(where: { $0 === connection }) else { return false }
            silent.remove(at: place)
            return true
        }
    }

    /// Ends the oldest silent connection but the newest.
    func makeRoom() {
        guard let oldest = silent.withLock({ $0.count > 1 ? $0[0] : nil }) else { return }
        // There, so that an answer that is under way is never cut off.
        oldest.queue.async { [self] in
            if remove(oldest) { oldest.abort() }
        }
    }
}
