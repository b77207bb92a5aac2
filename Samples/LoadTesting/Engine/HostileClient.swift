internal import RingDispatch
internal import RingNetwork

/// An ill-behaved client. It reconnects whenever the server closes its connection.
final class HostileClient: BackgroundClient, @unchecked Sendable {
    // Safety: see the base class.
    private static let tick = DispatchTimeInterval.milliseconds(100)
    private static let messageBytes = 4096
    private static let bytesPerTick = 64 * 1024

    let profile: HostileProfile
    private(set) var counts = HostileCounts()
    /// Nil before `start`.
    private var timer: (any DispatchSourceTimer)?
    private var isPaused = false
    private var generator: SeededGenerator
    private var age = 0

    init(_ profile: HostileProfile, shard: Shard, target: PreparedTarget) {
        self.profile = profile
        generator = SeededGenerator(state: shard.nextSeed())
        super.init(shard: shard, target: target)
    }

    func start() {
        shard.clientOpened()
        let timer = DispatchSource.makeTimerSource(queue: shard.queue)
        self.timer = timer
        timer.setEventHandler { [self] in act() }
        timer.setCancelHandler { [self] in shard.clientClosed() }
        timer.schedule(deadline: .now(), repeating: Self.tick)
        timer.activate()
    }

    override func close() {
        guard !isOver else { return }
        isOver = true
        timer?.cancel()
        pending?.cancel()
        connection?.abort()
    }

    // MARK: acting

    private func act() {
        guard let connection else {
            if pending == nil, !isOver { connect() }
            return
        }
        age += 1
        switch profile {
        case .slowReader:
            sendMany(connection)
            if isPaused {
                isPaused = false
                connection.resumeReceiving()
            }
        case .slowWriter: send(connection, [UInt8(truncatingIfNeeded: generator.next())])
        case .halfClose:
            // The next connection follows after a second, with or without an answer.
            if age >= 10 { connection.abort() }
        case .reset:
            send(connection, [UInt8](repeating: 0x55, count: Self.messageBytes))
            connection.abort()
        case .garbage: sendMany(connection)
        case .stay: break
        }
    }

    override var connector: Connector {
        guard profile == .slowReader else { return super.connector }
        var options = super.connector.options
        options.connection.receiveMaximumBytes = 1
        return Connector(options: options)
    }

    override func connectingFailed(_ error: ConnectError) { counts.refused += 1 }

    override func adopt(_ connection: Connection) {
        isPaused = false
        age = 0
        counts.opened += 1
        connection.setReceiveHandler { [self] connection, span in
            counts.bytesReceived += span.byteCount
            guard profile == .slowReader else { return }
            isPaused = true
            connection.pauseReceiving()
        }
        connection.setEndHandler { [self] connection in
            counts.closedByServer += 1
            connection.close()
        }
        connection.setCloseHandler { [self] _, reason in closed(reason) }
        connection.activate()
        if profile == .halfClose {
            send(connection, [UInt8](repeating: 0x55, count: Self.messageBytes))
            connection.closeOutput()
        }
    }

    private func closed(_ reason: CloseReason) {
        if case .failed = reason { counts.resetByServer += 1 }
        connection = nil
        shard.clientClosed()
    }

    private func send(_ connection: Connection, _ bytes: [UInt8]) {
        counts.bytesSent += bytes.count
        connection.send(bytes)
    }

    /// Sends while the connection is writable, up to a limit.
    private func sendMany(_ connection: Connection) {
        var left = Self.bytesPerTick
        while left > 0, connection.isWritable, connection.state == .active {
            var bytes: [UInt8] = []
            bytes.reserveCapacity(Self.messageBytes)
            while bytes.count < Self.messageBytes {
                withUnsafeBytes(of: generator.next()) { bytes.append(contentsOf: $0) }
            }
            send(connection, bytes)
            left -= bytes.count
        }
    }
}
