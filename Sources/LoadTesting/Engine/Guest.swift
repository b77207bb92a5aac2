internal import Ring
internal import RingDispatch
internal import RingNetwork

/// A connection beside the load: it is no part of the measurement. On its shard's queue.
protocol Guest: AnyObject {
    func start()
    func beginMeasuring()
    func close()
}

extension Shard {
    /// This shard's share of the idle and the hostile connections.
    func addGuests() {
        let streams = targets.filter { $0.target.scheme != .udp }
        guard !streams.isEmpty else { return }
        for number in 0..<plan.share(of: plan.idleConnections, shard: index) {
            guests.append(IdleGuest(shard: self, target: streams[number % streams.count]))
        }
        for profile in plan.hostile {
            for number in 0..<plan.share(of: plan.hostileConnections, shard: index) {
                let target = streams[number % streams.count]
                guests.append(HostileGuest(profile, shard: self, target: target))
            }
        }
    }

    func hostileCounts() -> [HostileProfile: HostileCounts] {
        var counts: [HostileProfile: HostileCounts] = [:]
        for case let guest as HostileGuest in guests {
            counts[guest.profile, default: HostileCounts()].add(guest.counts)
        }
        return counts
    }
}

/// A connection that is made and left alone. That it stays is checked.
final class IdleGuest: Guest, @unchecked Sendable {
    // Safety: used on the shard's queue only.
    private let shard: Shard
    private let target: PreparedTarget
    private var connection: Connection?
    private var isOver = false

    init(shard: Shard, target: PreparedTarget) {
        self.shard = shard
        self.target = target
    }

    func start() {
        shard.guestOpened()
        target.connector(shard.nextSource()).connect(to: target.endpoint, queue: shard.queue) {
            [self] result in
            switch result {
            case .success(let connection) where !isOver: adopt(connection)
            case .failure(let error) where !isOver: fail(target.finding(of: error))
            default: break
            }
            if connection == nil { shard.guestClosed() }
        }
    }

    private func adopt(_ connection: Connection) {
        self.connection = connection
        connection.setReceiveHandler { [self] _, _ in
            fail(Finding(.mismatch, "bytes came on a connection that sends nothing"))
        }
        connection.setEndHandler { [self] _ in
            fail(Finding(.closedByServer, "the server closed an idle connection"))
        }
        connection.setCloseHandler { [self] _, reason in
            if !isOver { fail(target.finding(of: reason)) }
            shard.guestClosed()
        }
        connection.activate()
    }

    private func fail(_ finding: Finding) {
        guard !isOver else { return }
        isOver = true
        shard.errors.add(finding.kind, finding.detail)
        connection?.close()
    }

    func beginMeasuring() {}

    func close() {
        isOver = true
        connection?.close()
    }
}
