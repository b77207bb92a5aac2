internal import LinuxPlatform
internal import Synchronization

/// The loops of one kind (ordinary or background) and the workers that serve them.
final class Pool: @unchecked Sendable {
    // Safety: the loops are set once before the pool is shared; all else is locked or atomic.
    let isBackground: Bool
    private(set) var loops: [EventLoop] = []
    let monitor: Monitor
    private let workers: Locked<Workers>
    private let workerLimit: Int
    /// Loops that are parked or idle. A hint: read (relaxed) before a search for a loop to wake.
    private let idleLoops = Atomic<Int>(0)
    private let help = HelpPolicy()
    private static let shortage = RepeatedLine()

    private struct Workers {
        var idle: [Worker] = []
        var count = 0
        var all: [Worker] = []
        var limitReached = false
    }

    init(
        isBackground: Bool, loopCount: Int, workerLimit: Int, settings: BackendSettings,
        factory: BackendFactory
    ) throws(SystemError) {
        self.isBackground = isBackground
        self.workerLimit = workerLimit
        workers = Locked(Workers())
        monitor = Monitor()
        for index in 0..<loopCount {
            let backend = try factory.makeBackend(settings)
            loops.append(
                EventLoop(index: index, pool: Unmanaged.passUnretained(self), backend: backend))
        }
        idleLoops.store(loopCount, ordering: .relaxed)
        monitor.pool = self
    }

    var workerCount: Int { workers.withLock { $0.count } }

    var workerCounts: (all: Int, idle: Int) {
        workers.withLock { workers in (workers.count, workers.idle.count) }
    }

    // MARK: workers

    /// Calls a worker to a loop. The worker takes the loop only if its state is still `expecting`.
    func call(to loop: EventLoop, expecting: LoopState) {
        let assignment = Worker.Assignment(loop: loop, expecting: expecting)
        enum Found {
            case idle(Worker)
            case new(Worker)
            case none
        }
        let found = workers.withLock { workers -> Found in
            if let idle = workers.idle.popLast() {
                idle.assignment = assignment
                return .idle(idle)
            }
            guard workers.count < workerLimit else {
                if !workers.limitReached { reportLimit() }
                workers.limitReached = true
                return .none
            }
            workers.count += 1
            let worker = Worker(
                index: UInt64(workers.count), pool: self, assignment: assignment)
            workers.all.append(worker)
            return .new(worker)
        }
        switch found {
        case .idle(let worker):
            worker.call()
        case .new(let worker):
            do {
                try worker.start()
            } catch {
                Pool.shortage.log("no further worker thread: \(error)")
                workers.withLock { workers in
                    workers.count -= 1
                    workers.all.removeAll { $0 === worker }
                    workers.limitReached = true
                }
                giveUp(loop, expecting)
            }
        case .none:
            wakeSleeper(for: loop)
            giveUp(loop, expecting)
        }
    }

    /// At the limit, a worker may still sleep in another loop: it can steal from this one.
    private func wakeSleeper(for loop: EventLoop) {
        guard let sleeper = loops.first(where: { $0 != loop && $0.loopState.phase == .parked }),
            help.begin()
        else { return }
        sleeper.wakeIfIdle()
    }

    private func giveUp(_ loop: EventLoop, _ expecting: LoopState) {
        guard expecting.phase == .assigned else { return }
        _ = loop.exchangeState(expecting, for: expecting.with(.idle))
        // A worker that became idle meanwhile did not yet see this loop as idle.
        if workers.withLock({ !$0.idle.isEmpty }) { loop.wakeIfIdle() }
    }

    private func reportLimit() {
        Diagnostics.log(
            "all \(workerLimit) worker threads are blocked in handlers or serve other event loops; "
                + "work waits for the first to return (raise the limit with RINGDISPATCH_WORKERS)")
    }

    /// The worker has lost its loop, and waits for its next one.
    func becomeIdle(_ worker: Worker) {
        let mustPoll = workers.withLock { workers -> Bool in
            workers.idle.append(worker)
            return workers.limitReached
        }
        guard mustPoll else { return }
        let now = MonotonicClock.nanoseconds()
        for loop in loops where loop.loopState.phase == .idle && loop.isNeeded(now: now) {
            loop.wakeIfIdle()
        }
    }

    func worker(_ index: UInt64) -> Worker? {
        workers.withLock { workers in workers.all.first { $0.index == index } }
    }

    // MARK: spreading work

    func noteIdle(_ change: Int) {
        idleLoops.wrappingAdd(change, ordering: .relaxed)
    }

    /// The loop for the work of a thread outside the pool. Always the same loop, so that its caches
    /// and its spinning worker are used; idle workers steal the excess.
    @inline(__always)
    func loop(for context: Context) -> EventLoop {
        if let last = context.pointee.loop, last.isBackground == isBackground { return last }
        return firstLoop(context)
    }

    private func firstLoop(_ context: Context) -> EventLoop {
        let loop = loops[Int(context.pointee.identifier) % loops.count]
        if context.pointee.worker == nil { context.pointee.loop = loop }
        return loop
    }

    /// Wakes an idle loop if this one may have more work than it can handle. The woken worker
    /// steals from it.
    @inline(__always)
    func considerHelp(for loop: EventLoop) {
        guard idleLoops.load(ordering: .relaxed) > 0, loops.count > 1, help.isDue() else { return }
        callHelp(for: loop)
    }

    @inline(never)
    private func callHelp(for loop: EventLoop) {
        guard let helper = loops.first(where: { $0 != loop && $0.isIdle }) else { return }
        guard help.begin() else { return }
        helper.wakeIfIdle()
    }

    /// Steals work from a loop whose holder is in a handler. Returns true if there is something to
    /// run.
    /// - Parameter stuck: a loop and an earlier sample of its state. If the state is still the
    ///   same, even its last waiting work item is stolen.
    func steal(for loop: EventLoop, _ context: Context, stuck: (EventLoop, LoopState)? = nil)
        -> Bool
    {
        guard loops.count > 1 else { return false }
        for offset in 1..<loops.count {
            let victim = loops[(loop.index + offset) % loops.count]
            let loopState = victim.loopState
            guard loopState.phase == .inHandler else { continue }
            let isStuck = stuck.map { $0.0 == victim && $0.1 == loopState } ?? false
            guard victim.waiting > 1 || isStuck else { continue }
            guard victim.exchangeState(loopState, for: loopState.with(.stealing)) else { continue }
            let hasFound = visit(victim, for: loop, takingAll: isStuck, context)
            victim.setState(loopState)
            if hasFound {
                help.succeeded()
                return true
            }
        }
        return false
    }

    private func visit(
        _ victim: EventLoop, for loop: EventLoop, takingAll: Bool, _ context: Context
    ) -> Bool {
        var hasFound = false
        for workItem in victim.giveHalf() {
            workItem.pointee.next = nil
            loop.enqueue(all: workItem)
            hasFound = true
        }
        if takingAll, let workItems = victim.takeInbox() {
            loop.enqueue(all: workItems)
            hasFound = true
        }
        return hasFound
    }

    /// Whether a loop was woken to help, and has found nothing yet.
    var isHelpUnderWay: Bool { help.isUnderWayNow }

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

    /// The loop goes to sleep. If it was woken to help and found nothing, the next help comes
    /// later.
    func noteParking() {
        help.ended()
    }
}
