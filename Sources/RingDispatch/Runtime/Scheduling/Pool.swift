internal import LinuxPlatform
internal import Synchronization

/// The loops of one kind (ordinary or background) and the workers that serve them.
final class Pool: Sendable {
    // Safety: the loops are set once before the pool is shared; all else is locked or atomic.
    let isBackground: Bool
    @exclusivity(unchecked) nonisolated(unsafe) private(set) var loops: [EventLoop] = []
    let monitor: Monitor
    let workers: Workers
    /// Loops that may be asleep. A hint: read (relaxed) before a search for a loop to wake.
    let sleepingLoops = Atomic<Int>(0)
    let help = HelpPolicy()

    let away = AwayWork()
    let blocks = SharedBlockingHistory()
    let counters = Counters()

    /// Statistics (relaxed).
    struct Counters: ~Copyable {
        /// How often the monitor gave a loop to another worker.
        let takeOvers = Atomic<Int>(0)
        /// How often an idle loop took work items from another one.
        let steals = Atomic<Int>(0)
        /// How often a thread woke a sleeping worker.
        let wakeUps = Atomic<Int>(0)
        /// How often a sleep ended more than `Tuning.lateness` after its time.
        let lateWakeUps = Atomic<Int>(0)
    }

    init(isBackground: Bool, _ configuration: Configuration) throws(SystemError) {
        self.isBackground = isBackground
        workers = Workers(limit: configuration.workers)
        monitor = try Monitor()
        do throws(SystemError) {
            for index in 0..<configuration.loops {
                loops.append(
                    try EventLoop(index: index, pool: Unmanaged.passUnretained(self)))
            }
            sleepingLoops.store(configuration.loops, ordering: .relaxed)
            monitor.pool = self
            try monitor.startThread()
        } catch {
            for loop in loops { loop.destroy() }
            throw error
        }
        // Workers and loops refer to the pool without counting, for as long as the process lives.
        _ = Unmanaged.passRetained(self)
    }

    /// Whether the monitor has nothing to do: every loop is parked or needs no worker, and nothing
    /// waits away from the loops.
    var isQuiet: Bool {
        guard away.isEmpty else { return false }
        let isEachQuiet = loops.allSatisfy { loop in
            switch loop.loopState.phase {
            case .parked: true
            case .idle: !loop.isNeeded
            default: false
            }
        }
        // After the loops: a handler that has handed its loop off is seen here.
        return isEachQuiet && !StallWatch.isNeeded(self)
    }

    // MARK: workers

    /// Calls a worker to a loop. The worker takes the loop only if its state is still `expecting`.
    /// - Returns: false if no worker is available.
    @discardableResult
    func call(to loop: EventLoop, expecting: LoopState) -> Bool {
        let assignment = Worker.Assignment(loop: loop, expecting: expecting)
        if workers.call(for: assignment, in: self) { return true }
        giveUp(loop, expecting)
        return false
    }

    /// No worker is to be had for the loop. But one may sleep in another loop. If none does, the
    /// monitor tries again at its next tick.
    private func giveUp(_ loop: EventLoop, _ expecting: LoopState) {
        let sleeper = sleepingLoop(besides: loop)
        guard expecting.phase == .assigned else {
            // It can steal from the handler that keeps the loop.
            if let sleeper, help.begin() { sleeper.wake() }
            return
        }
        // No worker was called, so the assigned loop still belongs to this thread.
        if let sleeper {
            let workItems = loop.takeWork()
            if !workItems.isEmpty { sleeper.push(workItems) }
        }
        _ = loop.exchangeState(expecting, for: expecting.with(.idle))
        monitor.noteActivity()
    }

    private func sleepingLoop(besides loop: EventLoop?) -> EventLoop? {
        loops.first { $0 != loop && $0.loopState.phase == .parked }
    }

    // MARK: away work

    func pushAway(_ workItem: WorkItemPointer) {
        if away.add(workItem) { callAway(1) }
        monitor.noteActivity()
    }

    /// Moves work items that wait behind a handler away from its loop: as many as there can be
    /// workers for them, since nothing else runs them there.
    func moveAway(workOf loop: EventLoop, _ loopState: LoopState) {
        let limit = min(workers.room, Tuning.mostAwayWorkers)
        // Nobody else touches the run queue meanwhile.
        guard limit > 0, loop.exchangeState(loopState, for: loopState.with(.stealing)) else {
            return
        }
        let workItems = loop.takeWork(limit: limit)
        loop.setState(loopState)
        workItems.first.forEach { pushAway($0) }
    }

    /// Calls workers for away work. Returns whether one was there, or could be made.
    @discardableResult
    func callAway(_ count: Int) -> Bool {
        var hasCalled = false
        for _ in 0..<count {
            if workers.call(for: nil, in: self) {
                hasCalled = true
                continue
            }
            away.withdrawCall()
            if !Workers.isCallerUnlike(monitorOf: self) { moveAwayWorkToSleepingLoop() }
        }
        return hasCalled
    }

    /// At the limit of workers, one that sleeps in its loop runs the away work.
    private func moveAwayWorkToSleepingLoop() {
        guard let loop = sleepingLoop(besides: nil) else { return }
        let workItems = away.takeAll()
        if !workItems.isEmpty { loop.push(workItems) }
    }

    // MARK: spreading work

    /// The loop for the work of a thread outside the pool. Always the same loop, so that its caches
    /// and its spinning worker are used; idle workers steal the excess.
    @inline(__always)
    func loop(for context: Context) -> EventLoop {
        if let last = context.pointee.loop, last.belongs(to: self) { return last }
        return firstLoop(context)
    }

    private func firstLoop(_ context: Context) -> EventLoop {
        let loop = loops[Int(context.pointee.identifier) % loops.count]
        if !context.pointee.isWorker { context.pointee.loop = loop }
        return loop
    }

    /// Wakes a sleeping loop if this one may have more work than it can handle. The woken worker
    /// steals from it.
    @inline(__always)
    func considerHelp(for loop: EventLoop) {
        guard sleepingLoops.load(ordering: .relaxed) > 0, loops.count > 1, help.isDue()
        else { return }
        callHelp(for: loop)
    }

    @inline(never)
    private func callHelp(for loop: EventLoop) {
        guard let helper = loops.first(where: { $0 != loop && $0.isSleeping }) else { return }
        guard help.begin() else { return }
        helper.wake()
    }

    /// Steals work from a loop whose holder is in a handler. Returns true if there is something to
    /// run.
    /// - Parameter stuck: a loop and an earlier sample of its state. If the state is still the
    ///   same, even its last waiting work item is stolen.
    func steal(for loop: EventLoop, stuck: (EventLoop, LoopState)? = nil) -> Bool {
        guard loops.count > 1 else { return false }
        for offset in 1..<loops.count {
            let victim = loops[(loop.index + offset) % loops.count]
            let loopState = victim.loopState
            guard loopState.phase == .inHandler else { continue }
            let isStuck = stuck.map { $0.0 == victim && $0.1 == loopState } ?? false
            guard victim.waiting > 1 || isStuck else { continue }
            // Nobody else touches the victim's run queue meanwhile.
            guard victim.exchangeState(loopState, for: loopState.with(.stealing)) else { continue }
            let hasFound = takeItems(of: victim, for: loop, takingAll: isStuck)
            victim.setState(loopState)
            if hasFound {
                counters.steals.wrappingAdd(1, ordering: .relaxed)
                Trace.note(.steal, loop: victim.index)
                help.succeeded()
                return true
            }
        }
        return false
    }

    private func takeItems(
        of victim: EventLoop, for loop: EventLoop, takingAll: Bool
    ) -> Bool {
        let half = victim.giveHalf().first
        let pushed = takingAll ? victim.takeInbox() : nil
        loop.enqueue(all: half)
        loop.enqueue(all: pushed)
        return half != nil || pushed != nil
    }

    /// Samples a loop whose holder is in a handler while work items wait.
    func firstBusyLoop(besides loop: EventLoop) -> (EventLoop, LoopState)? {
        for offset in 1..<max(1, loops.count) {
            let other = loops[(loop.index + offset) % loops.count]
            let loopState = other.loopState
            if loopState.phase == .inHandler && (other.waiting > 0 || !other.inboxIsEmpty) {
                return (other, loopState)
            }
        }
        return nil
    }
}
