import RingDispatch
import SampleSupport

/// A share of the connections on one serial queue, with its own statistics, so that nothing is
/// shared per message. Everything but `init` runs on `queue`.
final class Shard: @unchecked Sendable {
    private static let incomingBytes = 64 * 1024
    /// Connection attempts under way: a listener's backlog is finite; overflow costs seconds.
    private static let connectsUnderWay = 64

    let queue: DispatchQueue
    /// What a receive brought, until it is checked, which is before the next one.
    let incoming = RawStorage(capacity: incomingBytes)
    var statistics = ShardStatistics()
    var errors = ErrorCounts()
    /// False: echoes are still checked, but not followed by new messages.
    private(set) var isSending = false

    private let configuration: LoadConfiguration
    private let payload: Payload
    private let address: SocketAddress
    /// The numbers of this shard's connections.
    private let numbers: Range<Int>
    private var connections: [ClientConnection] = []
    private var connected = 0
    private var working = 0
    private var openDescriptors = 0
    private var onConnected: ((SystemError?) -> Void)?
    private var onAllFailed: (() -> Void)?
    private var onAllClosed: (() -> Void)?

    init(index: Int, configuration: LoadConfiguration, payload: Payload, address: SocketAddress) {
        self.configuration = configuration
        self.payload = payload
        self.address = address
        numbers = configuration.connections(ofShard: index)
        queue = DispatchQueue(label: "ringload.shard.\(index)")
    }

    // MARK: Connecting

    /// Opens all connections; `onConnected` hears of the first failure, or once of the success.
    func connect(onConnected: @escaping (SystemError?) -> Void) {
        self.onConnected = onConnected
        for _ in 0..<min(Self.connectsUnderWay, numbers.count) { connectNext() }
    }

    private func connectNext() {
        guard onConnected != nil, connections.count < numbers.count else { return }
        switch startConnecting(to: address) {
        case .failure(let error):
            reportConnected(error)
        case .success(let descriptor):
            var generator = SplitMix64(
                state: configuration.seed &+ UInt64(numbers.lowerBound + connections.count))
            let connection = ClientConnection(
                descriptor: descriptor, seed: generator.next(), shard: self, payload: payload,
                pipeline: configuration.pipeline)
            connections.append(connection)
            openDescriptors += 1
            connection.waitUntilConnected { [self] error in
                guard error == nil else { return reportConnected(error) }
                connected += 1
                working += 1
                if connected == numbers.count { reportConnected(nil) } else { connectNext() }
            }
        }
    }

    private func reportConnected(_ error: SystemError?) {
        onConnected?(error)
        onConnected = nil
    }

    // MARK: Running

    /// Sends the first messages. `onAllFailed` is called when no connection works any more.
    func start(onAllFailed: @escaping () -> Void) {
        statistics.begin(atNanoseconds: MonotonicClock.nanoseconds())
        isSending = true
        self.onAllFailed = onAllFailed
        if working == 0 { return onAllFailed() }  // the server closed them all before the start
        for connection in connections { connection.start() }
    }

    /// Forgets what was counted so far (but no errors).
    func beginMeasuring() {
        statistics.begin(atNanoseconds: MonotonicClock.nanoseconds())
    }

    /// Sends no further messages; returns what was measured and when that ended.
    func endMeasuring() -> ShardMeasurement {
        isSending = false
        return ShardMeasurement(
            statistics: statistics, endNanoseconds: MonotonicClock.nanoseconds())
    }

    /// The latencies since the last call, and the errors so far; fails stalled connections.
    func tick() -> ShardTick {
        failStalledConnections()
        return ShardTick(latencies: statistics.takeInterval(), errors: errors.total)
    }

    private func failStalledConnections() {
        let now = MonotonicClock.nanoseconds()
        let timeout = configuration.stallTimeout.nanoseconds
        guard now > timeout else { return }
        for connection in connections { connection.failIfStalled(sentBefore: now - timeout) }
    }

    /// Connections that wait for an echo; those that wait too long fail.
    func connectionsWaiting() -> Int {
        failStalledConnections()
        return connections.count { $0.isWaitingForEcho }
    }

    func connectionFailed() {
        working -= 1
        if working == 0, let onAllFailed {
            self.onAllFailed = nil
            onAllFailed()
        }
    }

    // MARK: Closing

    /// Closes every connection; `onAllClosed` is called when the last descriptor is closed.
    func close(onAllClosed: @escaping () -> Void) {
        isSending = false
        onConnected = nil
        onAllFailed = nil
        self.onAllClosed = onAllClosed
        for connection in connections { connection.close() }
        if openDescriptors == 0 { reportAllClosed() }
    }

    func connectionClosed() {
        openDescriptors -= 1
        if openDescriptors == 0 { reportAllClosed() }
    }

    private func reportAllClosed() {
        connections = []
        onAllClosed?()
        onAllClosed = nil
    }
}

/// A shard's share of a progress line.
struct ShardTick: Sendable {
    let latencies: LatencyHistogram
    let errors: Int
}

/// A shard's share of the report.
struct ShardMeasurement: Sendable {
    let statistics: ShardStatistics
    let endNanoseconds: UInt64
}
