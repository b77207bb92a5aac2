internal import LinuxPlatform
internal import RingDispatch
#if TLS
internal import RingTLS
#endif

// On the queue.
extension Listener {
    func beginAccepting() {
        confined.bucket = options.acceptRate.map {
            TokenBucket($0, now: MonotonicClock.nanoseconds())
        }
        for socket in sockets { socket.attach(to: self) }
        updateAccepting()
    }

    private var mayAccept: Bool {
        confined.phase == .active && connectionCount < options.connectionLimit
            && confined.rateEnd == nil && confined.pauseEnd == nil
    }

    /// Starts or stops accepting, as the listener's state requires.
    private func updateAccepting() {
        let mayAccept = mayAccept
        for socket in sockets { if mayAccept { socket.start() } else { socket.stop() } }
    }

    // MARK: connections

    /// Called for each accepted connection.
    func accepted(
        _ descriptor: Int32, _ endpoints: SocketEndpoints, at socket: ListeningSocket
    ) {
        confined.pauseMilliseconds = Listener.shortestPauseMilliseconds
        guard confined.phase == .active else { return Descriptors.close(descriptor) }
        begin(descriptor, endpoints, at: socket)
        guard confined.phase == .active else { return }
        if connectionCount >= options.connectionLimit { confined.tally.pausesForLimit += 1 }
        awaitToken()
        if confined.rateEnd != nil { confined.tally.pausesForRate += 1 }
        updateAccepting()
    }

    private func begin(
        _ descriptor: Int32, _ endpoints: SocketEndpoints, at socket: ListeningSocket
    ) {
        let placement =
            options.placement
            ?? ConnectionPlacement(queue: DispatchQueue(label: socket.connectionLabel))
        var connection = Connection(
            adopting: descriptor, endpoints, on: placement, options: options.connection)
        let peer = countedPeer(connection.remoteEndpoint)
        if let peer, confined.peers[peer, default: 0] >= options.connectionLimitPerPeer {
            confined.tally.refusedPerPeer += 1
            return connection.abort()
        }
        confined.bucket?.take(now: MonotonicClock.nanoseconds())
        guard secure(connection) else { return }
        confined.tally.accepted += 1
        if let peer { confined.peers[peer, default: 0] += 1 }
        connection.confined.owner = self
        confined.setups += 1
        guard let handler = confined.handlers.connection else { return connection.close() }
        handler(connection)
        guard connection.isInSetup, isKnownUniquelyReferenced(&connection) else { return }
        // Nobody can activate it any more.
        Listener.droppedConnection.log(
            "the connection handler of '\(queue.label)' neither activated nor kept a connection, "
                + "which is closed now: call activate() in it")
        connection.close()
    }

    private static let droppedConnection = RepeatedLine()

    /// Returns false if it cannot be secured.
    private func secure(_ connection: Connection) -> Bool {
        #if TLS
        guard let tls = options.tls else { return true }
        do {
            try connection.secure(with: tls.current)
        } catch {
            Listener.droppedConnection.log("dropped a connection: \(error)")
            return false
        }
        #endif
        return true
    }

    /// Nil if the peer may have any number of connections.
    private func countedPeer(_ endpoint: Endpoint?) -> IPAddress? {
        options.connectionLimitPerPeer == .max ? nil : endpoint?.ipAddress?.asPeer
    }

    private var connectionCount: Int { confined.open.count + confined.setups }

    /// Returns false if a shutdown has given up a connection in setup.
    func endSetupOfOne() -> Bool {
        if confined.setups == 0 { return false }
        confined.setups -= 1
        return true
    }

    func closed(
        _ connection: Connection?, _ statistics: ConnectionStatistics, from peer: Endpoint?
    ) {
        queue.async { [self] in
            confined.tally.add(closed: statistics)
            let wasOpen = connection.map { confined.open.remove($0) != nil } ?? false
            guard wasOpen || endSetupOfOne() else { return }
            if let peer = countedPeer(peer), let count = confined.peers[peer] {
                confined.peers[peer] = count > 1 ? count - 1 : nil
            }
            endPause()
            if confined.ending != nil { noteEnded(connection) }
        }
    }

    // MARK: the rate

    /// Begins to wait if the bucket is empty.
    private func awaitToken() {
        guard let wait = confined.bucket?.wait(now: MonotonicClock.nanoseconds()),
            wait > 0
        else { return }
        confined.rateEnd = queue.scheduleAfter(
            deadline: .now() + .nanoseconds(Int(wait))
        ) { [weak self] in
            guard let self else { return }
            confined.rateEnd = nil
            awaitToken()
            updateAccepting()
        }
    }

    // MARK: errors

    /// Handles a failed accept(2) on one of the sockets.
    func acceptFailed(_ code: Int32, at socket: ListeningSocket) {
        guard confined.phase == .active else { return }
        guard ErrorCode.isPassingAcceptError(code) else {
            socket.close()
            let failure = report(code, at: socket)
            if sockets.allSatisfy({ $0.confined.isClosed }) { close(for: failure) }
            return
        }
        guard ErrorCode.isShortage(code) else { return pause(\.passingErrors) }
        // Without free descriptors, accept(2) fails even if nobody waits.
        let isHarmless = ErrorCode.isDescriptorShortage(code) && turnAway(at: socket) == 0
        if !isHarmless || confined.reserve == nil { report(code, at: socket) }
        pause(\.pausesForShortage)
    }

    @discardableResult
    private func report(_ code: Int32, at socket: ListeningSocket) -> ListenerError {
        let error = SystemError(call: "accept", code: code)
        let failure = ListenerError(socket.endpoint, error)
        if let handler = confined.handlers.error {
            handler(self, failure)
        } else {
            Listener.unhandledError.log("\(failure)")
        }
        return failure
    }

    private static let unhandledError = RepeatedLine()

    /// Descriptors ran out. Accepts waiting clients with the reserved descriptor and closes them,
    /// so they see an end instead of a hang. Returns their number.
    private func turnAway(at socket: ListeningSocket) -> Int {
        guard let kept = confined.reserve else { return 0 }
        Descriptors.close(kept)
        let before = confined.tally.turnedAway
        var peer = SocketAddress()
        for _ in 0..<Listener.mostTurnedAway {
            let descriptor = Sockets.accept(socket.descriptor, peer: &peer)
            if descriptor < 0 { break }
            Descriptors.close(descriptor)
            confined.tally.turnedAway += 1
        }
        confined.reserve = Sockets.reserve()
        return confined.tally.turnedAway - before
    }

    private static let mostTurnedAway = 64

    /// The pause after the first failed accept; each further failure doubles it.
    static let shortestPauseMilliseconds = 10
    private static let longestPauseMilliseconds = 1000

    private func pause(_ count: WritableKeyPath<ListenerCounters, Int>) {
        guard confined.phase == .active, confined.pauseEnd == nil else { return }
        confined.tally[keyPath: count] += 1
        confined.pauseEnd = queue.scheduleAfter(
            deadline: .now() + .milliseconds(confined.pauseMilliseconds)
        ) { [weak self] in self?.endPause() }
        confined.pauseMilliseconds = min(
            2 * confined.pauseMilliseconds, Listener.longestPauseMilliseconds)
        updateAccepting()
    }

    /// Accepts again, unless there is another reason not to.
    private func endPause() {
        confined.pauseEnd?.cancel()
        confined.pauseEnd = nil
        if confined.reserve == nil && confined.phase == .active {
            confined.reserve = Sockets.reserve()
        }
        updateAccepting()
    }
}
