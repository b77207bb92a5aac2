internal import RingDispatch
internal import RingNetwork

/// One run, from connecting to the report. The run's queue drives the phases; the shards work on
/// their own queues and answer requests sent with `ask`.
public final class LoadRun: @unchecked Sendable {
    // Safety: only `queue` touches the mutable state.
    enum Phase { case preparing, connecting, warmingUp, measuring, draining, closing, over }

    private static let closeTimeout: UInt64 = 3_000_000_000
    private static let drainPoll: UInt64 = 20_000_000
    /// The most intervals kept for the report; later ones go to `onInterval` only.
    private static let mostIntervals = 100_000

    let plan: LoadPlan
    private let environment: RunEnvironment
    private let queue = DispatchQueue(label: "load.run")
    private var shards: [Shard] = []
    /// A connection must be established within this time after the one before it. Longer than the
    /// time-out of one attempt. Tests shorten it before the run.
    var connectTimeout: UInt64 = 12_000_000_000
    /// Fires at the end of a phase; each phase schedules it.
    private let phaseTimer: any DispatchSourceTimer
    private let progressTimer: any DispatchSourceTimer
    private let onInterval: (@Sendable (LoadInterval) -> Void)?

    private var phase = Phase.preparing
    /// Shards that have not finished the phase.
    private var shardsWaited = 0
    private var shardsFinished = 0
    /// Connections established when the phase timer fired last.
    private var connected = 0
    private var beganNanoseconds: UInt64 = 0
    private var lastIntervalNanoseconds: UInt64 = 0
    private var measuringNanoseconds = UInt64.max
    private var drainEndNanoseconds: UInt64 = 0
    private var intervals: [LoadInterval] = []
    private var measurement = Measurement([])
    private var usage = UsageObservation()
    /// Since the last interval.
    private var intervalUsage = UsageObservation()
    private var errors = ErrorCounts()
    private var hostile: [HostileProfile: HostileCounts] = [:]
    private var wasInterrupted = false

    private let finished = DispatchSemaphore(value: 0)
    private var outcome: Result<LoadReport, LoadFailure>?

    /// - Parameters:
    ///   - plan: checked first; see ``LoadPlan/check()``.
    ///   - onInterval: called with each interval, on the run's queue.
    /// - Throws: ``LoadFailure``, with the cause and the remedy.
    public init(
        _ plan: LoadPlan, onInterval: (@Sendable (LoadInterval) -> Void)? = nil
    ) throws {
        try plan.check()
        if let process = plan.observedProcess, ProcessUsage.of(process: process) == nil {
            throw LoadFailure("--pid \(process): there is no such process on this machine")
        }
        environment = RunEnvironment.current(server: plan.observedProcess)
        self.plan = plan
        self.onInterval = onInterval
        phaseTimer = DispatchSource.makeTimerSource(queue: queue)
        progressTimer = DispatchSource.makeTimerSource(queue: queue)
        // A source must be active when it is released, even if `waitForReport` is never called.
        phaseTimer.activate()
        progressTimer.activate()
    }

    /// Runs the load. Blocks, at most for about the sum of the phases and time-outs, so it must not
    /// run on a queue.
    /// - Throws: ``LoadFailure``, with the cause and the remedy.
    public func waitForReport() throws -> LoadReport {
        queue.async { self.prepare() }
        finished.wait()
        return try queue.sync { outcome }!.get()
    }

    /// Ends the run early, with a report of the measurement so far. Safe to call from any thread.
    public func interrupt() {
        queue.async { [self] in
            wasInterrupted = true
            switch phase {
            case .preparing, .connecting:
                finish(.failure(LoadFailure("interrupted while connecting")))
            case .warmingUp, .measuring: endMeasuring()
            case .draining, .closing, .over: break
            }
        }
    }

    /// The longest time between two connections.
    private var connectLimit: UInt64 {
        let distance = plan.connectsPerSecond.map { Double(plan.shardCount) / $0 * 1e9 } ?? 0
        return connectTimeout + UInt64(min(distance, 3.6e12))
    }

    /// Calls `question` for every shard on the shard's queue, then `then` on the run's queue with
    /// the answers, in any order.
    private func ask<Answer: Sendable>(
        _ question: @escaping @Sendable (Shard) -> Answer,
        then: @escaping @Sendable ([Answer]) -> Void
    ) {
        let answers = Answers<Answer>()
        let count = shards.count
        for shard in shards {
            shard.queue.async { [self] in
                let answer = question(shard)
                queue.async {
                    answers.list.append(answer)
                    if answers.list.count == count { then(answers.list) }
                }
            }
        }
    }

    /// Goes on connecting while it makes progress; each attempt has a time-out of its own.
    private func checkConnecting(_ connected: Int) {
        guard phase == .connecting else { return }
        guard connected > self.connected else { return failConnecting() }
        self.connected = connected
        schedulePhase(connectLimit)
    }

    private func failConnecting() {
        let place = plan.targets.map(\.place).joined(separator: ", ")
        finish(
            .failure(
                LoadFailure(
                    connected > 0
                        ? "\(place) accepted \(connected) of \(plan.connections) connections: is "
                            + "that its limit? Try fewer --connections"
                        : "no answer from \(place): is the address right, and does a firewall drop "
                            + "it?")))
    }

    private func schedulePhase(_ nanoseconds: UInt64) {
        phaseTimer.schedule(
            deadline: .now() + .nanoseconds(Int(nanoseconds)), leeway: .milliseconds(1))
    }

    private func phaseTimerFired() {
        switch phase {
        case .preparing: failConnecting()
        case .connecting: ask({ $0.connected }) { self.checkConnecting($0.reduce(0, +)) }
        case .warmingUp: beginMeasuring()
        case .measuring: endMeasuring()
        case .draining: checkDrained()
        case .closing: report()
        case .over: break
        }
    }
}

// MARK: The phases, in their order

extension LoadRun {
    private func prepare() {
        phaseTimer.setEventHandler { self.phaseTimerFired() }
        progressTimer.setEventHandler { self.reportInterval() }
        schedulePhase(connectLimit)
        findTargets([])
    }

    /// Finds the addresses one after the other.
    private func findTargets(_ found: [(LoadTarget, Endpoint)]) {
        guard phase == .preparing else { return }
        guard found.count < plan.targets.count else { return connect(found) }
        let target = plan.targets[found.count]
        target.findAddress(queue: queue) { [self] result in
            switch result {
            case .success(let endpoint): findTargets(found + [(target, endpoint)])
            case .failure(let failure): finish(.failure(failure))
            }
        }
    }

    private func connect(_ targets: [(LoadTarget, Endpoint)]) {
        phase = .connecting
        let payload = Payload(sizes: plan.sizes, seed: plan.seed)
        do throws(LoadFailure) {
            for index in 0..<plan.shardCount {
                shards.append(
                    try Shard(index: index, plan: plan, payload: payload, targets: targets))
            }
        } catch {
            return finish(.failure(error))
        }
        shardsWaited = shards.count
        for shard in shards {
            shard.queue.async { [self] in
                shard.connect { failure in
                    self.queue.async { self.shardConnected(failure) }
                }
            }
        }
    }

    private func shardConnected(_ failure: LoadFailure?) {
        guard phase == .connecting else { return }
        if let failure { return finish(.failure(failure)) }
        shardsWaited -= 1
        if shardsWaited == 0 { warmUp() }
    }

    private func warmUp() {
        phase = .warmingUp
        usage.begin(observing: plan.observedProcess)
        intervalUsage.begin(observing: nil)
        beganNanoseconds = DispatchTime.now().uptimeNanoseconds
        lastIntervalNanoseconds = beganNanoseconds
        let interval = DispatchTimeInterval.nanoseconds(Int(plan.intervalNanoseconds))
        progressTimer.schedule(deadline: .now() + interval, repeating: interval)
        for shard in shards {
            shard.queue.async { [self] in
                shard.start { self.queue.async { self.shardFinished() } }
            }
        }
        if plan.warmupNanoseconds == 0 {
            beginMeasuring()
        } else {
            schedulePhase(plan.warmupNanoseconds)
        }
    }

    private func beginMeasuring() {
        phase = .measuring
        usage.begin(observing: plan.observedProcess)
        schedulePhase(plan.durationNanoseconds)
        measuringNanoseconds = DispatchTime.now().uptimeNanoseconds
        let end = measuringNanoseconds + plan.durationNanoseconds
        for shard in shards {
            shard.queue.async { shard.beginMeasuring(endNanoseconds: end) }
        }
    }

    /// All connections of a shard have failed, or its share of the plan's messages is answered.
    private func shardFinished() {
        shardsFinished += 1
        if shardsFinished == shards.count, phase == .warmingUp || phase == .measuring {
            endMeasuring()
        }
    }

    private func endMeasuring() {
        phase = .draining
        phaseTimer.schedule(deadline: .distantFuture)
        progressTimer.cancel()
        drainEndNanoseconds = DispatchTime.now().uptimeNanoseconds + plan.stallNanoseconds
        ask(
            {
                $0.endMeasuring()
                return $0.tick()
            }
        ) { [self] ticks in
            addLastInterval(ticks)
            // An open loop also counts late answers to messages that were due.
            if plan.isOpenLoop { return checkDrained() }
            takeMeasurement { [self] in checkDrained() }
        }
    }

    private func takeMeasurement(_ then: @escaping @Sendable () -> Void) {
        ask({ $0.takeMeasurement() }) { [self] shares in
            usage.end(observing: plan.observedProcess)
            measurement = Measurement(shares)
            then()
        }
    }

    /// Polls until no answer is outstanding, or the connections that wait have failed as stalled.
    private func checkDrained() {
        ask({ $0.messagesWaiting() }) { [self] waiting in
            guard phase == .draining else { return }
            let now = DispatchTime.now().uptimeNanoseconds
            let isLate = plan.isOpenLoop && now > drainEndNanoseconds
            guard isLate || waiting.allSatisfy({ $0 == 0 }) else {
                return schedulePhase(Self.drainPoll)
            }
            plan.isOpenLoop ? takeMeasurement { [self] in close() } : close()
        }
    }

    private func close() {
        phase = .closing
        schedulePhase(Self.closeTimeout)
        shardsWaited = shards.count
        for shard in shards {
            shard.queue.async { [self] in
                let (errors, hostile) = (shard.errors, shard.hostileCounts())
                // Before the connections are closed, which may fail. Closing adds no errors.
                queue.async { self.add(errors, hostile) }
                shard.close { self.queue.async { self.shardClosed() } }
            }
        }
    }

    private func add(_ errors: ErrorCounts, _ hostile: [HostileProfile: HostileCounts]) {
        self.errors.add(errors)
        for (profile, counts) in hostile {
            self.hostile[profile, default: HostileCounts()].add(counts)
        }
    }

    private func shardClosed() {
        shardsWaited -= 1
        if shardsWaited == 0 { report() }
    }

    private func report() {
        if shardsWaited > 0 {
            errors.add(.notClosed, "connections did not close: a bug in the runtime, please report")
        }
        finish(
            .success(
                LoadReport(
                    plan: plan, environment: environment, measurement: measurement,
                    intervals: intervals, usage: usage, errors: errors, hostile: hostile,
                    wasInterrupted: wasInterrupted)))
    }

    private func finish(_ outcome: Result<LoadReport, LoadFailure>) {
        guard phase != .over else { return }
        phase = .over
        phaseTimer.cancel()
        progressTimer.cancel()
        self.outcome = outcome
        if case .failure = outcome {
            for shard in shards { shard.queue.async { shard.close {} } }
        }
        finished.signal()
    }

    private func reportInterval() {
        // The answers may arrive after the end of the measurement.
        ask({ $0.tick() }) { self.addInterval($0) }
    }

    /// The timer and the end of the measurement come at about the same time: a short rest is no
    /// interval.
    private func addLastInterval(_ ticks: [Shard.Tick]) {
        let length = DispatchTime.now().uptimeNanoseconds - lastIntervalNanoseconds
        if length > plan.intervalNanoseconds / 2 { addInterval(ticks) }
    }

    private func addInterval(_ ticks: [Shard.Tick]) {
        guard phase != .over else { return }
        let now = DispatchTime.now().uptimeNanoseconds
        let length = now - lastIntervalNanoseconds
        intervalUsage.end(observing: nil)
        let interval = LoadInterval(
            ticks, seconds: Double(now - beganNanoseconds) / 1e9,
            lengthSeconds: Double(length) / 1e9,
            // The measurement may begin a moment after the interval.
            isWarmingUp: lastIntervalNanoseconds + length / 2 < measuringNanoseconds,
            processorSeconds: intervalUsage.totalSeconds)
        lastIntervalNanoseconds = now
        intervalUsage.begin(observing: nil)
        if intervals.count < Self.mostIntervals { intervals.append(interval) }
        onInterval?(interval)
    }
}

/// The answers of all shards.
private final class Answers<Answer: Sendable>: @unchecked Sendable {
    // Safety: only the run's queue touches it.
    var list: [Answer] = []
}
