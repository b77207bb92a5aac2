internal import Ring
internal import Synchronization

/// A thread that looks at the lanes about every millisecond while any is in use, and sends a
/// stand-in to a lane whose worker is stuck in user code while something waits.
///
/// When all lanes have been idle for a while it sleeps without a timeout, so that an idle process
/// makes no system calls.
final class Monitor: @unchecked Sendable {
    // Safety: `pool` is set once before the thread starts; `seen` is touched by the thread only.
    unowned(unsafe) var pool: Pool!
    private var seen: [Sight] = []
    private var idleLooks = 0
    private var looks = 0
    /// The last look that sent a stand-in.
    private var lastCall = 0
    private let parker = Parker()
    /// Asleep until somebody grants the parker: `noteActivity` (relaxed) sees it and lets exactly
    /// one thread wake it; the monitor looks at all lanes once more after it said so.
    private let state = Atomic<UInt32>(Monitor.notStarted)
    private let eventThreads = Locked<[EventThread]>([])

    /// What a lane, or an event thread, looked like, and how much CPU time its thread had used when
    /// it began to look so; nil: it was not looked at.
    struct Sight {
        var lease: Lease
        var usedNanoseconds: UInt64?
    }

    private static let notStarted: UInt32 = 0
    private static let awake: UInt32 = 1
    private static let asleep: UInt32 = 2

    static let periodNanoseconds: UInt64 = 1_000_000
    /// After a stand-in was sent, this many looks follow in shorter steps.
    static let quickLooks = 4
    static let quickPeriodNanoseconds: UInt64 = 400_000
    /// Looks in a row that find all lanes idle before the monitor goes to sleep.
    static let idleLooksBeforeSleep = 20
    /// CPU time in one handler from which on it is one that computes.
    static let computingNanoseconds: UInt64 = 500_000
    /// A worker that computes is left alone this many looks when there are many such already.
    static let looksBetweenComputing = 8

    /// A lane has come into use.
    @inline(__always)
    func noteActivity() {
        if state.load(ordering: .relaxed) != Monitor.awake { wake() }
    }

    @inline(never)
    private func wake() {
        let before = state.exchange(Monitor.awake, ordering: .acquiringAndReleasing)
        if before == Monitor.asleep { parker.grant() }
        guard before == Monitor.notStarted else { return }
        do {
            try Threads.start { self.run() }
        } catch {
            fatalKernel(error)
        }
    }

    /// From now on the thread is looked at like the lanes.
    func oversee(_ thread: EventThread) { eventThreads.withLock { $0.append(thread) } }
    func disregard(_ thread: EventThread) {
        eventThreads.withLock { $0.removeAll { $0 === thread } }
    }

    private func run() {
        Threads.setName("ring-monitor")
        Threads.useFineTimers()
        seen = pool.lanes.map { Sight(lease: $0.lease) }
        while true {
            // Where one handler blocks, the next one often does, too.
            let isQuick = looks &- lastCall <= Monitor.quickLooks
            let period = isQuick ? Monitor.quickPeriodNanoseconds : Monitor.periodNanoseconds
            // A grant that ends the sleep early came with activity: just look again.
            _ = parker.sleep(deadline: MonotonicClock.nanoseconds() + period)
            look()
            if idleLooks >= Monitor.idleLooksBeforeSleep { sleepUntilActivity() }
        }
    }

    private func sleepUntilActivity() {
        state.store(Monitor.asleep, ordering: .sequentiallyConsistent)
        let isBusy = eventThreads.withLock { $0.contains { $0.isRunningHandler } }
        if !isBusy && pool.lanes.allSatisfy({ $0.isIdle }) { _ = parker.sleep() }
        state.store(Monitor.awake, ordering: .sequentiallyConsistent)
        idleLooks = 0
    }

    private func look() {
        looks &+= 1
        let now = MonotonicClock.nanoseconds()
        var isAnyInUse = false
        var computing = 0
        for (index, lane) in pool.lanes.enumerated() {
            let lease = lane.lease
            if lease.phase != .parked && lease.phase != .free { isAnyInUse = true }
            guard lease == seen[index].lease, lease.phase == .user else {
                seen[index] = Sight(lease: lease)
                if lease.phase == .user {
                    seen[index].usedNanoseconds = identifier(lease.worker).flatMap(cpuTime)
                }
                continue
            }
            guard lane.hasWork(now: now) else { continue }
            switch state(
                of: identifier(lease.worker), since: seen[index].usedNanoseconds)
            {
            case .waitsForCPU:
                continue
            case .computes:
                computing += 1
                // Another thread helps only as far as the CPUs go round.
                if pool.workerCount > 2 * pool.lanes.count,
                    looks % Monitor.looksBetweenComputing != 0
                {
                    continue
                }
            case .blocks:
                break
            }
            pool.call(to: lane, expecting: lease)
            lastCall = looks
        }
        for thread in eventThreads.withLock({ $0 }) where look(at: thread) { isAnyInUse = true }
        idleLooks = isAnyInUse ? 0 : idleLooks + 1
    }

    /// Whether it is in use.
    private func look(at thread: EventThread) -> Bool {
        let lease = thread.lease
        guard lease.phase == .user else { return false }
        guard let seen = thread.seen, seen.lease == lease else {
            thread.seen = Sight(lease: lease, usedNanoseconds: cpuTime(thread.identifier))
            return true
        }
        if thread.hasNews(),
            state(of: thread.identifier, since: seen.usedNanoseconds) != .waitsForCPU
        {
            thread.replace(expecting: lease)
        }
        return true
    }

    private enum State {
        case blocks
        case computes
        /// Others have the CPU: a stand-in would have to wait for it, too.
        case waitsForCPU
    }

    private func state(of thread: UInt32?, since before: UInt64?) -> State {
        guard let thread, let before, let now = cpuTime(thread) else { return .blocks }
        if now &- before >= Monitor.computingNanoseconds { return .computes }
        return Threads.isRunnable(thread: thread) ? .waitsForCPU : .blocks
    }

    private func cpuTime(_ thread: UInt32) -> UInt64? {
        Threads.cpuNanoseconds(ofThread: thread)
    }

    private func identifier(_ worker: UInt64) -> UInt32? {
        pool.worker(worker)?.identifier.load(ordering: .relaxed)
    }
}
