internal import Ring
internal import Synchronization

/// The lanes of one kind (ordinary, or background) and the workers that serve them.
final class Pool: @unchecked Sendable {
    // Safety: the lanes are set once before the pool is shared; all else is locked or atomic.
    let isBackground: Bool
    private(set) var lanes: [Lane] = []
    let monitor: Monitor
    private let workers: Locked<Workers>
    private let workerLimit: Int
    /// Lanes that are parked or free. A hint: read (relaxed) before looking for one to wake.
    private let idleLanes = Atomic<Int>(0)
    private let help = HelpPolicy()

    private struct Workers {
        var spare: [Worker] = []
        var count = 0
        var all: [Worker] = []
        var limitReached = false
    }

    init(
        isBackground: Bool, laneCount: Int, workerLimit: Int, settings: KernelSettings,
        factory: KernelFactory
    ) throws(KernelError) {
        self.isBackground = isBackground
        self.workerLimit = workerLimit
        workers = Locked(Workers())
        monitor = Monitor()
        for index in 0..<laneCount {
            let kernel = try factory.makeKernel(settings)
            lanes.append(
                Lane(index: index, pool: Unmanaged.passUnretained(self), kernel: kernel))
        }
        idleLanes.store(laneCount, ordering: .relaxed)
        monitor.pool = self
    }

    var workerCount: Int { workers.withLock { $0.count } }

    var workerCounts: (all: Int, spare: Int) {
        workers.withLock { workers in (workers.count, workers.spare.count) }
    }

    // MARK: workers

    /// Sends a worker to a lane whose lease is `expecting`; it comes too late if that changed.
    func call(to lane: Lane, expecting: Lease) {
        let assignment = Worker.Assignment(lane: lane, expecting: expecting)
        enum Found {
            case spare(Worker)
            case new(Worker)
            case none
        }
        let found = workers.withLock { workers -> Found in
            if let spare = workers.spare.popLast() {
                spare.assignment = assignment
                return .spare(spare)
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
        case .spare(let worker):
            worker.call()
        case .new(let worker):
            do {
                try worker.start()
            } catch {
                Diagnostics.log("no further worker thread: \(error)")
                workers.withLock { workers in
                    workers.count -= 1
                    workers.all.removeAll { $0 === worker }
                    workers.limitReached = true
                }
                giveUp(lane, expecting)
            }
        case .none:
            giveUp(lane, expecting)
        }
    }

    private func giveUp(_ lane: Lane, _ expecting: Lease) {
        guard expecting.phase == .called else { return }
        _ = lane.exchangeLease(expecting, for: expecting.with(.free))
        // A worker that became spare meanwhile looked for free lanes before this was one.
        if workers.withLock({ !$0.spare.isEmpty }) { lane.wakeIfIdle() }
    }

    private func reportLimit() {
        Diagnostics.log(
            "all \(workerLimit) worker threads are blocked in handlers or serve other lanes; work "
                + "waits for the first to return (raise the limit with RINGDISPATCH_WORKERS)")
    }

    /// The worker lost its lane and waits for its next one.
    func becomeSpare(_ worker: Worker) {
        let mustLook = workers.withLock { workers -> Bool in
            workers.spare.append(worker)
            return workers.limitReached
        }
        guard mustLook else { return }
        let now = MonotonicClock.nanoseconds()
        for lane in lanes where lane.lease.phase == .free && lane.isNeeded(now: now) {
            lane.wakeIfIdle()
        }
    }

    func worker(_ index: UInt64) -> Worker? {
        workers.withLock { workers in workers.all.first { $0.index == index } }
    }

    // MARK: spreading work

    func noteIdle(_ change: Int) {
        idleLanes.wrappingAdd(change, ordering: .relaxed)
    }

    /// The lane that a thread of the program gives work to: always the same, so that its caches
    /// and its spinning worker serve; others come for what is too much.
    @inline(__always)
    func lane(for context: Context) -> Lane {
        if let last = context.pointee.lane, last.isBackground == isBackground { return last }
        return firstLane(context)
    }

    private func firstLane(_ context: Context) -> Lane {
        let lane = lanes[Int(context.pointee.identifier) % lanes.count]
        if context.pointee.worker == nil { context.pointee.lane = lane }
        return lane
    }

    /// Wakes an idle lane for one that may have more to do than it can at once. The other comes,
    /// and takes what waits.
    @inline(__always)
    func considerHelp(for lane: Lane) {
        guard idleLanes.load(ordering: .relaxed) > 0, lanes.count > 1, help.isDue() else { return }
        callHelp(for: lane)
    }

    @inline(never)
    private func callHelp(for lane: Lane) {
        guard let helper = lanes.first(where: { $0 != lane && $0.isIdle }) else { return }
        guard help.begin() else { return }
        helper.wakeIfIdle()
    }

    /// Takes work from a lane whose holder is in user code. True when there is something to run.
    /// - Parameter stuck: a lane and its lease as seen a while ago: if it still looks like that,
    ///   its last waiting job is taken, too.
    func steal(for lane: Lane, _ context: Context, stuck: (Lane, Lease)? = nil) -> Bool {
        guard lanes.count > 1 else { return false }
        for offset in 1..<lanes.count {
            let victim = lanes[(lane.index + offset) % lanes.count]
            let lease = victim.lease
            guard lease.phase == .user else { continue }
            let isStuck = stuck.map { $0.0 == victim && $0.1 == lease } ?? false
            guard victim.waiting > 1 || isStuck else { continue }
            guard victim.exchangeLease(lease, for: lease.with(.visited)) else { continue }
            let hasFound = visit(victim, for: lane, takingAll: isStuck, context)
            victim.setLease(lease)
            if hasFound {
                help.succeeded()
                return true
            }
        }
        return false
    }

    private func visit(
        _ victim: Lane, for lane: Lane, takingAll: Bool, _ context: Context
    ) -> Bool {
        var hasFound = false
        for job in victim.giveHalf() {
            job.pointee.next = nil
            lane.enqueue(all: job)
            hasFound = true
        }
        if takingAll, let jobs = victim.takeInbox() {
            lane.enqueue(all: jobs)
            hasFound = true
        }
        return hasFound
    }

    /// A lane was woken to help, and has found nothing yet.
    var isHelpUnderWay: Bool { help.isUnderWayNow }

    /// A lane whose holder is in user code while jobs wait, as it looks now.
    func firstBusyLane(besides lane: Lane) -> (Lane, Lease)? {
        for offset in 1..<max(1, lanes.count) {
            let other = lanes[(lane.index + offset) % lanes.count]
            let lease = other.lease
            if lease.phase == .user && (other.waiting > 0 || !other.inboxIsEmpty) {
                return (other, lease)
            }
        }
        return nil
    }

    /// The lane goes to sleep; if it was woken to help and found nothing, that is remembered.
    func noteParking() {
        help.ended()
    }
}
