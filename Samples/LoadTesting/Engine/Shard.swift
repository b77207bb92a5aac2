internal import RingDispatch
internal import RingNetwork

/// A share of the connections on one serial queue and one event loop, with statistics of its own,
/// so that a message touches no shared data. Everything but `init` runs on `queue`.
final class Shard: @unchecked Sendable {
    // Safety: only the queue touches the mutable state.
    let queue: DispatchQueue
    let plan: LoadPlan
    let index: Int
    /// Holds the messages of the next send.
    let buffer = MessageBuffer()
    @exclusivity(unchecked) var statistics = ShardStatistics()
    var errors = ErrorCounts()
    /// False: answers are still checked, but trigger no new messages.
    @exclusivity(unchecked) private(set) var isSending = false
    /// Whether messages are still sent: after the measurement, an open loop's that were due in it.
    var hasMore: Bool { isSending || pacer?.hasBacklog == true }
    /// Messages that may still be sent.
    @exclusivity(unchecked) var budget = Int.max
    @exclusivity(unchecked) var pacer: Pacer?
    let payload: Payload
    let targets: [PreparedTarget]
    /// Of its connections among all.
    let numbers: Range<Int>
    private var clients: [LoadClient] = []
    private var idleClients: [IdleClient] = []
    private var hostileClients: [HostileClient] = []
    /// Of the load's connections, then of the idle ones.
    private var ramp: ConnectRamp?
    private var seeds: SeededGenerator
    private var sourceNumber: Int
    private(set) var connected = 0
    private var working = 0
    private var openClients = 0
    private var onConnected: ((LoadFailure?) -> Void)?
    private var onFinished: (() -> Void)?
    private var onAllClosed: (() -> Void)?

    init(
        index: Int, plan: LoadPlan, payload: Payload, targets: [(LoadTarget, Endpoint)]
    ) throws(LoadFailure) {
        self.index = index
        self.plan = plan
        self.payload = payload
        let queue = DispatchQueue(label: "load.shard.\(index)")
        self.queue = queue
        let placement = ConnectionPlacement(queue: queue, loopNumber: index)
        var prepared: [PreparedTarget] = []
        for (target, endpoint) in targets {
            prepared.append(
                try PreparedTarget(target, endpoint: endpoint, plan: plan, placement: placement))
        }
        self.targets = prepared
        numbers = plan.share(of: plan.connections, shard: index)
        sourceNumber = numbers.lowerBound
        seeds = SeededGenerator(state: plan.seed &+ UInt64(index) &* 0x1_0000_0000)
    }

    typealias Tick = (latencies: LatencyHistogram, errors: Int)

    // MARK: for clients

    func newExchange(_ target: PreparedTarget) -> Exchange {
        let seed = seeds.next()
        return switch target.target.scheme {
        case .http, .https:
            HTTPExchange(plan.http, target: target.target, payload: payload, seed: seed)
        case .resp: RESPExchange(plan.resp, payload: payload, seed: seed)
        case .tcp, .tls, .unix, .udp:
            plan.line.map { LineExchange($0) } ?? EchoExchange(payload: payload, seed: seed)
        }
    }

    func nextSeed() -> UInt64 { seeds.next() }

    func nextSource() -> Int {
        sourceNumber += 1
        return sourceNumber
    }

    /// Adds this shard's share of the idle and the hostile connections.
    private func addBackgroundClients() {
        let streams = targets.filter { $0.target.scheme != .udp }
        guard !streams.isEmpty else { return }
        for number in plan.share(of: plan.idleConnections, shard: index) {
            let target = streams[number % streams.count]
            idleClients.append(IdleClient(shard: self, target: target))
        }
        for profile in plan.hostile {
            for number in plan.share(of: plan.hostileConnections, shard: index) {
                let target = streams[number % streams.count]
                hostileClients.append(HostileClient(profile, shard: self, target: target))
            }
        }
    }

    func hostileCounts() -> [HostileProfile: HostileCounts] {
        var counts: [HostileProfile: HostileCounts] = [:]
        for client in hostileClients {
            counts[client.profile, default: HostileCounts()].add(client.counts)
        }
        return counts
    }

    // MARK: connecting

    /// Opens all connections. `onConnected` receives the first failure, or nil once all are
    /// connected.
    func connect(onConnected: @escaping (LoadFailure?) -> Void) {
        self.onConnected = onConnected
        addBackgroundClients()
        guard !numbers.isEmpty else { return reportConnected(nil) }
        startRamp(numbers.count) { [self] in connect(number: numbers.lowerBound + $0) }
    }

    private func startRamp(_ count: Int, connect: @escaping (Int) -> Void) {
        let rate = plan.connectsPerSecond.map { $0 / Double(plan.shardCount) }
        ramp = ConnectRamp(count: count, perSecond: rate, queue: queue, connect: connect)
        ramp?.start()
    }

    private func connect(number: Int) {
        guard onConnected != nil else { return }
        let target = targets[number % targets.count]
        let client: LoadClient =
            target.target.scheme == .udp
            ? DatagramClient(shard: self, target: target)
            : StreamClient(shard: self, target: target)
        clients.append(client)
        clientOpened()
        client.connect()
    }

    func clientConnected(_ client: LoadClient, nanoseconds: UInt64) {
        statistics.recordConnect(nanoseconds)
        if onConnected != nil {
            connected += 1
            working += 1
            ramp?.ended()
            if connected == numbers.count { reportConnected(nil) }
        } else if hasMore {
            begin(client)
        }
    }

    func idleClientEndedConnecting() { ramp?.ended() }

    /// - Parameter failure: nil if all are connected.
    func reportConnected(_ failure: LoadFailure?) {
        ramp?.cancel()
        ramp = nil
        onConnected?(failure)
        onConnected = nil
    }

    // MARK: running

    /// Sends the first messages. `onFinished` is called once: when the last connection has failed,
    /// or all messages of the plan are answered.
    func start(onFinished: @escaping () -> Void) {
        statistics.begin(atNanoseconds: DispatchTime.now().uptimeNanoseconds)
        isSending = true
        self.onFinished = onFinished
        startRamp(idleClients.count) { [self] in idleClients[$0].connect() }
        for client in hostileClients { client.start() }
        guard !numbers.isEmpty else { return }
        if working == 0 { return reportFinished() }  // the server closed them all before the start
        if plan.isOpenLoop {
            let pacer = Pacer(self)
            self.pacer = pacer
            for client in clients { pacer.list(client) }
            pacer.start()
        } else {
            for client in clients { begin(client) }
        }
    }

    private func begin(_ client: LoadClient) {
        if let pacer {
            pacer.list(client)
            return pacer.pace(DispatchTime.now().uptimeNanoseconds)
        }
        send(client, client.room, now: DispatchTime.now().uptimeNanoseconds)
    }

    @inline(__always)
    func record(_ message: LoadClient.Message, now: UInt64) {
        statistics.record(due: message.due, now: now)
        if pacer != nil {
            statistics.recordService(due: message.due, sent: message.sent, now: now)
        }
    }

    /// Called when the client has received answers and may send as many new messages.
    @inline(__always)
    func clientHasRoom(_ client: LoadClient, answered: Int, now: UInt64) {
        if let pacer {
            pacer.list(client)
            pacer.pace(now)
        } else if isSending {
            send(client, min(answered, client.room), now: now)
        }
        if budget <= 0 { reportIfAllAnswered() }
    }

    @inline(__always)
    private func send(_ client: LoadClient, _ count: Int, now: UInt64) {
        let count = min(count, budget)
        guard count > 0, !client.isOver else { return }
        if budget != .max { budget -= count }
        client.send(count, due: now, now: now)
    }

    func reportIfAllAnswered() {
        guard budget <= 0, onFinished != nil, !clients.contains(where: \.isWaitingForAnswer)
        else { return }
        reportFinished()
    }

    private func reportFinished() {
        onFinished?()
        onFinished = nil
    }

    /// Resets the statistics, but not the errors.
    func beginMeasuring(endNanoseconds: UInt64) {
        let now = DispatchTime.now().uptimeNanoseconds
        statistics.begin(atNanoseconds: now)
        if plan.isOpenLoop { statistics.endNanoseconds = endNanoseconds }
        guard let requests = plan.requests, !numbers.isEmpty else { return }
        budget = plan.messages(of: requests, onConnections: numbers)
        if budget == 0 { reportIfAllAnswered() }
    }

    /// Stops sending, except for open-loop messages that are already due.
    func endMeasuring() {
        let now = DispatchTime.now().uptimeNanoseconds
        statistics.endNanoseconds = min(statistics.endNanoseconds, now)
        isSending = false
        onFinished = nil
    }

    /// The final statistics. After `endMeasuring`.
    func takeMeasurement() -> ShardStatistics {
        var unanswered = clients.filter(\.isWaitingForAnswer).flatMap(\.dueTimes)
        statistics.idleConnections = idleClients.count { $0.wasOpened }
        if let pacer {
            let unsent = pacer.unsent(before: statistics.endNanoseconds)
            unanswered += unsent.dueTimes
            statistics.recordUnsent(unsent.count, hasWarmupBacklog: pacer.hasWarmupBacklog)
            pacer.stop()
        }
        statistics.recordUnanswered(unanswered, now: DispatchTime.now().uptimeNanoseconds)
        return statistics
    }

    /// Fails stalled connections, then returns the latencies since the last call and the errors so
    /// far.
    func tick() -> Tick {
        failStalledConnections()
        return (statistics.takeInterval(), errors.total)
    }

    private func failStalledConnections() {
        let now = DispatchTime.now().uptimeNanoseconds
        guard now > plan.stallNanoseconds else { return }
        let failed = clients.flatMap { $0.failIfStalled(sentBefore: now - plan.stallNanoseconds) }
        if !failed.isEmpty { statistics.recordUnanswered(failed, now: now) }
    }

    /// The number of connections that wait for an answer, plus 1 if open-loop messages wait for a
    /// connection. Fails stalled connections first.
    func messagesWaiting() -> Int {
        failStalledConnections()
        let backlog = working > 0 && pacer?.hasBacklog == true ? 1 : 0
        return clients.count { $0.isWaitingForAnswer } + backlog
    }

    func clientFailed() {
        working -= 1
        if working == 0 { reportFinished() }
        if budget <= 0 { reportIfAllAnswered() }
    }

    // MARK: closing

    /// Closes every connection. `onAllClosed` is called after the last descriptor is closed.
    func close(onAllClosed: @escaping () -> Void) {
        isSending = false
        pacer?.stop()
        onConnected = nil
        onFinished = nil
        ramp?.cancel()
        ramp = nil
        self.onAllClosed = onAllClosed
        for client in clients { client.close() }
        for client in idleClients { client.close() }
        for client in hostileClients { client.close() }
        if openClients == 0 { reportAllClosed() }
    }

    func clientOpened() { openClients += 1 }

    func clientClosed() {
        openClients -= 1
        if openClients == 0 { reportAllClosed() }
    }

    private func reportAllClosed() {
        guard let onAllClosed else { return }
        self.onAllClosed = nil
        clients = []
        idleClients = []
        hostileClients = []
        pacer = nil
        onAllClosed()
    }
}
