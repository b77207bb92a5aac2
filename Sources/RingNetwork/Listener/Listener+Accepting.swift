internal import LinuxPlatform
internal import RingDispatch
#if TLS
internal import RingTLS
#endif

// On the queue.
extension Listener {
    func beginAccepting() {
        accepting.bucket = options.acceptRate.map {
            TokenBucket($0, now: MonotonicClock.nanoseconds())
        }
        for socket in sockets { socket.attach(to: self) }
        if options.connectionLimit <= 0 { accepting.holds = .limit }
        if accepting.holds.isEmpty { for socket in sockets { socket.start() } }
    }

    func cancelPauses() {
        accepting.pauseEnd?.cancel()
        accepting.rateEnd?.cancel()
    }

    private func hold(
        _ reason: AcceptingState.Holds, _ count: WritableKeyPath<ListenerCounters, Int>
    ) {
        guard phase == .active, !accepting.holds.contains(reason) else { return }
        tally[keyPath: count] += 1
        let wasFree = accepting.holds.isEmpty
        accepting.holds.insert(reason)
        if wasFree { for socket in sockets { socket.stop() } }
    }

    private func release(_ reason: AcceptingState.Holds) {
        guard accepting.holds.remove(reason) != nil else { return }
        if accepting.holds.isEmpty && phase == .active { for socket in sockets { socket.start() } }
    }

    // MARK: connections

    /// Called for each accepted connection.
    func accepted(_ descriptor: Int32, at socket: ListeningSocket) {
        accepting.pauseMilliseconds = AcceptingState.shortestPauseMilliseconds
        guard phase == .active else { return Sockets.close(descriptor) }
        accepting.bucket?.take(now: MonotonicClock.nanoseconds())
        begin(descriptor, isUnix: socket.isUnix)
        if open.count >= options.connectionLimit { hold(.limit, \.pausesForLimit) }
        awaitToken()
    }

    private func begin(_ descriptor: Int32, isUnix: Bool) {
        var peer: PeerKey?
        if options.connectionLimitPerPeer != .max {
            peer = Sockets.remoteAddress(of: descriptor).flatMap { Endpoint($0) }.flatMap {
                PeerKey($0, ipv6PrefixLength: options.ipv6PeerPrefixLength)
            }
        }
        if let peer, peers.count(of: peer) >= options.connectionLimitPerPeer {
            tally.refusedPerPeer += 1
            return Sockets.abort(descriptor)
        }
        guard let connection = makeConnection(descriptor, isUnix: isUnix) else { return }
        tally.accepted += 1
        if let peer {
            peers.add(peer)
            connection.notifyListener = { [self] in closed($0, peer) }
        } else {
            // Captures only the listener, so it needs no allocation.
            connection.notifyListener = { [self] in closed($0, nil) }
        }
        open.insert(connection)
        handlers.connection?(connection)
        if handlers.connection == nil { connection.close() }
    }

    private static let droppedConnection = RepeatedLine()

    /// Returns nil, with the descriptor closed, if the connection cannot be secured.
    private func makeConnection(_ descriptor: Int32, isUnix: Bool) -> Connection? {
        let queue = DispatchQueue(label: "connection", target: options.connectionTarget)
        let connection = Connection(
            adopting: descriptor, isUnix: isUnix, on: ConnectionPlacement(queue: queue),
            options: options.connection)
        #if TLS
        guard let tls = options.tls else { return connection }
        do {
            try connection.secure(with: tls.current)
        } catch {
            Listener.droppedConnection.log("dropped a connection: \(error)")
            return nil
        }
        #endif
        return connection
    }

    /// Called from any queue when a connection's descriptor is closed.
    /// - Parameter peer: the peer that the connection was counted for.
    private func closed(_ connection: Connection, _ peer: PeerKey?) {
        queue.async { [self] in
            guard open.remove(connection) else { return }
            if let peer { peers.remove(peer) }
            if open.count < options.connectionLimit { release(.limit) }
            endPause()
            if ending != nil { noteEnded(connection) }
        }
    }

    // MARK: the rate

    private func awaitToken() {
        guard let wait = accepting.bucket?.wait(now: MonotonicClock.nanoseconds()), wait > 0
        else { return }
        hold(.rate, \.pausesForRate)
        guard accepting.holds.contains(.rate), accepting.rateEnd == nil else { return }
        accepting.rateEnd = queue.scheduleAfter(
            deadline: .now() + .nanoseconds(Int(wait))
        ) { [weak self] in
            guard let self else { return }
            accepting.rateEnd = nil
            guard phase == .active else { return }
            awaitToken()
            if accepting.rateEnd == nil { release(.rate) }
        }
    }

    // MARK: errors

    /// Handles a failed accept(2) on one of the sockets.
    func acceptFailed(_ code: Int32, at socket: ListeningSocket) {
        guard phase == .active else { return }
        guard ErrorCode.isPassingAcceptError(code) else {
            socket.close()
            return report(code, at: socket)
        }
        guard ErrorCode.isShortage(code) else { return pause(\.passingErrors) }
        // Without free descriptors, accept(2) fails even if nobody waits.
        let isHarmless = ErrorCode.isDescriptorShortage(code) && turnAway(at: socket) == 0
        if !isHarmless || reserve == nil { report(code, at: socket) }
        pause(\.pausesForShortage)
    }

    private func report(_ code: Int32, at socket: ListeningSocket) {
        let error = SystemError(call: "accept", code: code)
        handlers.error?(self, ListenerError(socket.endpoint, error))
    }

    /// Descriptors ran out. Accepts waiting clients with the reserved descriptor and closes them,
    /// so they see an end instead of a hang. Returns their number.
    private func turnAway(at socket: ListeningSocket) -> Int {
        guard let kept = reserve else { return 0 }
        Sockets.close(kept)
        let before = tally.turnedAway
        for _ in 0..<Listener.mostTurnedAway {
            let descriptor = Sockets.accept(socket.descriptor)
            if descriptor < 0 { break }
            Sockets.close(descriptor)
            tally.turnedAway += 1
        }
        reserve = Sockets.reserve()
        return tally.turnedAway - before
    }

    private static let mostTurnedAway = 64

    private func pause(_ count: WritableKeyPath<ListenerCounters, Int>) {
        guard !accepting.holds.contains(.trouble) else { return }
        hold(.trouble, count)
        accepting.pauseEnd = queue.scheduleAfter(
            deadline: .now() + .milliseconds(accepting.pauseMilliseconds)
        ) { [weak self] in self?.endPause() }
        accepting.pauseMilliseconds = min(
            2 * accepting.pauseMilliseconds, AcceptingState.longestPauseMilliseconds)
    }

    private func endPause() {
        guard accepting.holds.contains(.trouble) else { return }
        accepting.pauseEnd?.cancel()
        accepting.pauseEnd = nil
        if reserve == nil && phase == .active { reserve = Sockets.reserve() }
        release(.trouble)
    }
}
