internal import LinuxPlatform
internal import Synchronization

/// A thread that looks at the loops about every millisecond while any is in use, and sends a
/// replacement worker to a loop whose worker is stuck in user code while something waits.
///
/// When all loops have been idle for a while it sleeps without a timeout, so that an idle process
/// makes no system calls.
final class Monitor: @unchecked Sendable {
    // Safety: `pool` is set once before the thread starts; `seen` is touched by the thread only.
    unowned(unsafe) var pool: Pool!
    private var seen: [Sample] = []
    private var idleTicks = 0
    private var ticks = 0
    /// The last look that sent a replacement worker.
    private var lastCall = 0
    private let parker = Parker()
    /// Asleep until somebody grants the parker: `noteActivity` (relaxed) sees it and lets exactly
    /// one thread wake it; the monitor looks at all loops once more after it said so.
    private let state = Atomic<UInt32>(Monitor.notStarted)
    private let inotifyThreads = Locked<[InotifyThread]>([])

    /// What a loop, or an event thread, looked like, and how much CPU time its thread had used when
    /// it began to look so; nil: it was not looked at.
    struct Sample {
        var loopState: LoopState
        var usedNanoseconds: UInt64?
    }

    private static let notStarted: UInt32 = 0
    private static let awake: UInt32 = 1
    private static let asleep: UInt32 = 2

    static let periodNanoseconds: UInt64 = 1_000_000
    /// After a replacement worker was sent, this many looks follow in shorter steps.
    static let quickTicks = 4
    static let quickPeriodNanoseconds: UInt64 = 400_000
    /// Looks in a row that find all loops idle before the monitor goes to sleep.
    static let idleTicksBeforeSleep = 20
    /// CPU time in one handler from which on it is one that computes.
    static let computingNanoseconds: UInt64 = 500_000
    /// A worker that computes is left alone this many looks when there are many such already.
    static let ticksBetweenComputing = 8

    /// A loop has come into use.
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
            fatalSystemError(error)
        }
    }

    /// From now on the thread is looked at like the loops.
    func oversee(_ thread: InotifyThread) { inotifyThreads.withLock { $0.append(thread) } }
    func disregard(_ thread: InotifyThread) {
        inotifyThreads.withLock { $0.removeAll { $0 === thread } }
    }

    private func run() {
        Threads.setName("ring-monitor")
        Threads.useFineTimers()
        seen = pool.loops.map { Sample(loopState: $0.loopState) }
        while true {
            // Where one handler blocks, the next one often does, too.
            let isQuick = ticks &- lastCall <= Monitor.quickTicks
            let period = isQuick ? Monitor.quickPeriodNanoseconds : Monitor.periodNanoseconds
            // A grant that ends the sleep early came with activity: just look again.
            _ = parker.sleep(deadline: MonotonicClock.nanoseconds() + period)
            tick()
            if idleTicks >= Monitor.idleTicksBeforeSleep { sleepUntilActivity() }
        }
    }

    private func sleepUntilActivity() {
        state.store(Monitor.asleep, ordering: .sequentiallyConsistent)
        let isBusy = inotifyThreads.withLock { $0.contains { $0.isRunningHandler } }
        if !isBusy && pool.loops.allSatisfy({ $0.isIdle }) { _ = parker.sleep() }
        state.store(Monitor.awake, ordering: .sequentiallyConsistent)
        idleTicks = 0
    }

    private func tick() {
        ticks &+= 1
        let now = MonotonicClock.nanoseconds()
        var isAnyInUse = false
        var computing = 0
        for (index, loop) in pool.loops.enumerated() {
            let loopState = loop.loopState
            if loopState.phase != .parked && loopState.phase != .idle { isAnyInUse = true }
            guard loopState == seen[index].loopState, loopState.phase == .inHandler else {
                seen[index] = Sample(loopState: loopState)
                if loopState.phase == .inHandler {
                    seen[index].usedNanoseconds = identifier(loopState.worker).flatMap(cpuTime)
                }
                continue
            }
            guard loop.hasWork(now: now) else { continue }
            switch state(
                of: identifier(loopState.worker), since: seen[index].usedNanoseconds)
            {
            case .waitsForCPU:
                continue
            case .computes:
                computing += 1
                // Another thread helps only as far as the CPUs go round.
                if pool.workerCount > 2 * pool.loops.count,
                    ticks % Monitor.ticksBetweenComputing != 0
                {
                    continue
                }
            case .blocks:
                break
            }
            pool.call(to: loop, expecting: loopState)
            lastCall = ticks
        }
        for thread in inotifyThreads.withLock({ $0 }) where sample(at: thread) { isAnyInUse = true }
        idleTicks = isAnyInUse ? 0 : idleTicks + 1
    }

    /// Whether it is in use.
    private func sample(at thread: InotifyThread) -> Bool {
        let loopState = thread.loopState
        guard loopState.phase == .inHandler else { return false }
        guard let seen = thread.seen, seen.loopState == loopState else {
            thread.seen = Sample(loopState: loopState, usedNanoseconds: cpuTime(thread.identifier))
            return true
        }
        if thread.hasEvents(),
            state(of: thread.identifier, since: seen.usedNanoseconds) != .waitsForCPU
        {
            thread.replace(expecting: loopState)
        }
        return true
    }

    private enum State {
        case blocks
        case computes
        /// Others have the CPU: a replacement worker would have to wait for it, too.
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
