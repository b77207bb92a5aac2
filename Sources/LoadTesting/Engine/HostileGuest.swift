internal import Ring
internal import RingDispatch
internal import RingNetwork

/// A client that a server has to bear. It comes again when it is thrown out.
final class HostileGuest: Guest, @unchecked Sendable {
    // Safety: used on the shard's queue only.
    private static let tick = DispatchTimeInterval.milliseconds(100)
    private static let chunkBytes = 4096
    private static let bytesAtOnce = 64 * 1024

    let profile: HostileProfile
    private(set) var counts = HostileCounts()
    private let shard: Shard
    private let target: PreparedTarget
    /// From the start on.
    private var timer: (any DispatchSourceTimer)?
    private var connection: Connection?
    private var isConnecting = false
    private var isOver = false
    private var generator: SeededGenerator
    /// Ticks of this connection's life.
    private var age = 0

    init(_ profile: HostileProfile, shard: Shard, target: PreparedTarget) {
        self.profile = profile
        self.shard = shard
        self.target = target
        generator = SeededGenerator(state: shard.nextSeed())
    }

    func start() {
        shard.guestOpened()
        let timer = DispatchSource.makeTimerSource(queue: shard.queue)
        self.timer = timer
        timer.setEventHandler { [self] in act() }
        timer.setCancelHandler { [self] in shard.guestClosed() }
        timer.schedule(deadline: .now(), repeating: Self.tick)
        timer.activate()
    }

    func beginMeasuring() {}

    func close() {
        guard !isOver else { return }
        isOver = true
        timer?.cancel()
        connection?.abort()
    }

    // MARK: acting

    private func act() {
        guard let connection else { return connect() }
        age += 1
        switch profile {
        case .slowReader:
            sendMany(connection)
            // A few bytes of what is waiting.
            connection.resumeReceiving()
            connection.pauseReceiving()
        case .slowWriter: send(connection, Self.slowBytes(generator.next()))
        case .halfClose:
            // Answers came, or not: another one follows after a second.
            if age >= 10 { connection.abort() }
        case .reset:
            send(connection, [UInt8](repeating: 0x55, count: Self.chunkBytes))
            connection.abort()
        case .garbage: sendMany(connection)
        case .stay: break
        }
    }

    private static func slowBytes(_ word: UInt64) -> [UInt8] { [UInt8(truncatingIfNeeded: word)] }

    private func connect() {
        guard !isConnecting, !isOver else { return }
        isConnecting = true
        shard.guestOpened()
        target.connector(shard.nextSource()).connect(to: target.endpoint, queue: shard.queue) {
            [self] result in
            isConnecting = false
            switch result {
            case .success(let connection) where !isOver: adopt(connection)
            case .failure where !isOver: counts.refused += 1
            default: break
            }
            if connection == nil { shard.guestClosed() }
        }
    }

    private func adopt(_ connection: Connection) {
        self.connection = connection
        age = 0
        counts.opened += 1
        connection.setReceiveHandler { [self] _, span in counts.bytesReceived += span.byteCount }
        connection.setEndHandler { [self] connection in
            counts.closedByServer += 1
            connection.close()
        }
        connection.setCloseHandler { [self] _, reason in closed(reason) }
        if profile == .slowReader { connection.pauseReceiving() }
        connection.activate()
        if profile == .halfClose {
            send(connection, [UInt8](repeating: 0x55, count: Self.chunkBytes))
            connection.closeOutput()
        }
    }

    private func closed(_ reason: CloseReason) {
        if case .failed = reason { counts.resetByServer += 1 }
        connection = nil
        shard.guestClosed()
    }

    private func send(_ connection: Connection, _ bytes: [UInt8]) {
        counts.bytesSent += bytes.count
        connection.send(bytes)
    }

    /// As long as the server takes them.
    private func sendMany(_ connection: Connection) {
        var left = Self.bytesAtOnce
        while left > 0, connection.isWritable, connection.state == .active {
            var bytes: [UInt8] = []
            bytes.reserveCapacity(Self.chunkBytes)
            while bytes.count < Self.chunkBytes {
                withUnsafeBytes(of: generator.next()) { bytes.append(contentsOf: $0) }
            }
            send(connection, bytes)
            left -= bytes.count
        }
    }
}

/// What became of the clients of one hostile profile.
public struct HostileCounts: Sendable {
    public internal(set) var opened = 0
    public internal(set) var refused = 0
    public internal(set) var closedByServer = 0
    public internal(set) var resetByServer = 0
    public internal(set) var bytesSent = 0
    public internal(set) var bytesReceived = 0

    mutating func add(_ other: HostileCounts) {
        opened += other.opened
        refused += other.refused
        closedByServer += other.closedByServer
        resetByServer += other.resetByServer
        bytesSent += other.bytesSent
        bytesReceived += other.bytesReceived
    }
}
