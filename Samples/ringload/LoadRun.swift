import RingDispatch
import SampleSupport

/// One run from connecting to the report. A queue of its own drives the phases; the shards do the
/// work on theirs, and answer questions by `ask`. Everything private is confined to `queue`.
final class LoadRun: @unchecked Sendable {
    private enum Phase { case connecting, warmingUp, measuring, draining, closing, over }

    private static let connectTimeout = TimeSpan(seconds: 10)
    private static let closeTimeout = TimeSpan(seconds: 3)
    /// How much longer than all phases and time-outs together the caller waits.
    private static let slack = TimeSpan(seconds: 5)
    private static let drainPoll = DispatchTimeInterval.milliseconds(20)

    private let configuration: LoadConfiguration
    private let queue = DispatchQueue(label: "ringload.run")
    private let shards: [Shard]
    /// The end of the phase. One timer, scheduled anew by each phase.
    private let phaseTimer: any DispatchSourceTimer
    private let progressTimer: any DispatchSourceTimer

    private var phase = Phase.connecting
    /// Shards that have yet to reach the end of what they were told to do.
    private var shardsWaited = 0
    private var shardsFailed = 0
    private var progress = Progress()
    private var measurement = Measurement()
    private var processorTime = ProcessorTime()
    private var errors = ErrorCounts()
    private var wasInterrupted = false

    private let finished = DispatchSemaphore(value: 0)
    private var outcome: Result<Report, Failure>?

    init(_ configuration: LoadConfiguration, address: SocketAddress) {
        self.configuration = configuration
        let payload = Payload(sizeBytes: configuration.sizeBytes, seed: configuration.seed)
        shards = (0..<configuration.shards).map {
            Shard(index: $0, configuration: configuration, payload: payload, address: address)
        }
        phaseTimer = DispatchSource.makeTimerSource(queue: queue)
        progressTimer = DispatchSource.makeTimerSource(queue: queue)
    }

    /// Runs the load. Blocks the caller, which must not be on a queue; never for much longer than
    /// the phases and time-outs add up to.
    func waitForReport() throws -> Report {
        queue.async { self.connect() }
        let parts = [
            configuration.warmup, configuration.duration, configuration.stallTimeout,
            Self.connectTimeout, Self.closeTimeout, Self.slack,
        ]
        let longest = DispatchTimeInterval.nanoseconds(Int(parts.reduce(0) { $0 + $1.nanoseconds }))
        guard finished.wait(timeout: .now() + longest) == .success else {
            throw Failure(
                "the run did not end in time: the runtime lost a timer or an event. "
                    + "Please report it, with the command line")
        }
        return try queue.sync { outcome }!.get()
    }

    /// Ends the run early, with a report of what was measured so far. May be called anywhere.
    func interrupt() {
        queue.async { [self] in
            wasInterrupted = true
            switch phase {
            case .connecting: finish(.failure(Failure("interrupted while connecting")))
            case .warmingUp, .measuring: endMeasuring()
            case .draining, .closing, .over: break
            }
        }
    }

    /// Asks every shard on its queue; `then` gets the answers, in any order, on the run's queue.
    private func ask<Answer: Sendable>(
        _ question: @escaping @Sendable (Shard) -> Answer,
        then: @escaping @Sendable ([Answer]) -> Void
    ) {
        let answers = Answers<Answer>()
        for shard in shards {
            shard.queue.async { [self] in
                let answer = question(shard)
                queue.async { [self] in
                    answers.list.append(answer)
                    if answers.list.count == shards.count { then(answers.list) }
                }
            }
        }
    }

    /// The phase's timer: the phase ends, or is looked at, after this long.
    private func schedulePhase(_ interval: DispatchTimeInterval) {
        phaseTimer.schedule(deadline: .now() + interval, leeway: .milliseconds(1))
    }

    private func phaseTimerFired() {
        switch phase {
        case .connecting: finish(.failure(connectTimeoutFailure(target: configuration.target)))
        case .warmingUp: beginMeasuring()
        case .measuring: endMeasuring()
        case .draining: lookWhetherDrained()
        case .closing: report()
        case .over: break
        }
    }
}

// MARK: The phases, in their order

extension LoadRun {
    private func connect() {
        phaseTimer.setEventHandler { self.phaseTimerFired() }
        phaseTimer.activate()
        progressTimer.setEventHandler { self.showProgress() }
        progressTimer.activate()
        schedulePhase(Self.connectTimeout.interval)
        shardsWaited = shards.count
        for shard in shards {
            shard.queue.async { [self] in
                shard.connect { error in
                    self.queue.async { self.shardConnected(error) }
                }
            }
        }
    }

    private func shardConnected(_ error: SystemError?) {
        guard phase == .connecting else { return }
        if let error {
            return finish(.failure(connectFailure(error.code, target: configuration.target)))
        }
        shardsWaited -= 1
        if shardsWaited == 0 { warmUp() }
    }

    private func warmUp() {
        phase = .warmingUp
        processorTime = .now()
        progress.start()
        progressTimer.schedule(deadline: .now() + .seconds(1), repeating: .seconds(1))
        for shard in shards {
            shard.queue.async { [self] in
                shard.start {
                    self.queue.async { self.shardFailed() }
                }
            }
        }
        if configuration.warmup.nanoseconds == 0 {
            beginMeasuring()
        } else {
            schedulePhase(configuration.warmup.interval)
        }
    }

    private func beginMeasuring() {
        phase = .measuring
        processorTime = .now()
        schedulePhase(configuration.duration.interval)
        for shard in shards {
            shard.queue.async { shard.beginMeasuring() }
        }
    }

    /// All connections of a shard failed; when all shards' have, there is nothing to wait for.
    private func shardFailed() {
        shardsFailed += 1
        if shardsFailed == shards.count, phase == .warmingUp || phase == .measuring {
            endMeasuring()
        }
    }

    private func endMeasuring() {
        phase = .draining
        progressTimer.cancel()
        ask({ $0.endMeasuring() }) { [self] shares in
            processorTime = .now() - processorTime
            measurement = Measurement(shares)
            lookWhetherDrained()
        }
    }

    /// Waits for the echoes under way: they are checked, but no longer counted. It ends, since
    /// connections that wait for longer than the stall time-out fail.
    private func lookWhetherDrained() {
        ask({ $0.connectionsWaiting() }) { [self] waiting in
            guard phase == .draining else { return }
            if waiting.allSatisfy({ $0 == 0 }) { close() } else { schedulePhase(Self.drainPoll) }
        }
    }

    private func close() {
        phase = .closing
        schedulePhase(Self.closeTimeout.interval)
        shardsWaited = shards.count
        for shard in shards {
            shard.queue.async { [self] in
                shard.close {
                    let errors = shard.errors
                    self.queue.async { self.shardClosed(errors) }
                }
            }
        }
    }

    private func shardClosed(_ errors: ErrorCounts) {
        self.errors.add(errors)
        shardsWaited -= 1
        if shardsWaited == 0 { report() }
    }

    private func report() {
        if shardsWaited > 0 {
            errors.add(.notClosed, "connections did not close: a bug of the runtime, please report")
        }
        finish(
            .success(
                Report(
                    configuration: configuration, measurement: measurement,
                    processorTime: processorTime, errors: errors, wasInterrupted: wasInterrupted)))
    }

    private func finish(_ outcome: Result<Report, Failure>) {
        guard phase != .over else { return }
        phase = .over
        phaseTimer.cancel()
        progressTimer.cancel()
        self.outcome = outcome
        finished.signal()
    }

    private func showProgress() {
        ask({ $0.tick() }) { [self] ticks in
            guard phase == .warmingUp || phase == .measuring else { return }
            writeErrorLine(progress.line(ticks, isWarmingUp: phase == .warmingUp))
        }
    }
}

/// Confined to the run's queue.
private final class Answers<Answer: Sendable>: @unchecked Sendable {
    var list: [Answer] = []
}
