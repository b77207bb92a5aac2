internal import LinuxPlatform
internal import Synchronization

/// The monitor: a thread that gives a loop to another worker when its own is stuck in a handler.
///
/// While any loop is in use the monitor ticks about once a millisecond, and samples the state word
/// of every loop at each tick. If a loop is in a handler and has the same word as at the last tick,
/// turn included, then one handler has been running since then. If work waits on that loop, the
/// monitor calls a replacement worker, which takes the loop over unless the word has changed again.
/// A holder that is ready to run but has no CPU is left alone, because a replacement would have no
/// CPU either. A holder that uses the CPU gets a replacement less often once there are many
/// workers. Threads that read inotify (`InotifyThread`) are sampled in the same way.
///
/// After a number of ticks without activity the monitor sleeps without a timeout, so an idle
/// process makes no system calls.
final class Monitor: @unchecked Sendable {
    // Safety: `pool` is set once before the thread starts; only the thread touches the plain
    // fields.
    unowned(unsafe) var pool: Pool!
    private var seen: [Sample] = []
    private var idleTicks = 0
    private var ticks = 0
    /// The last tick that called a replacement worker.
    private var lastCall = 0
    private let parker = Parker()
    /// `asleep` while the monitor sleeps without a timeout. The exchange in `wake` lets exactly one
    /// thread grant the parker. Store-then-check with the loops' states.
    private let state = Atomic<UInt32>(Monitor.notStarted)
    private let inotifyThreads = Locked<[InotifyThread]>([])

    /// The state word of a loop or an inotify thread, and the CPU time that its thread had used at
    /// the first tick that showed this word; nil if it was not measured.
    struct Sample {
        var loopState: LoopState
        var usedNanoseconds: UInt64?
    }

    private static let notStarted: UInt32 = 0
    private static let awake: UInt32 = 1
    private static let asleep: UInt32 = 2

    static let periodNanoseconds: UInt64 = 1_000_000
    /// Number of ticks with the shorter period after a replacement worker was called.
    static let quickTicks = 4
    static let quickPeriodNanoseconds: UInt64 = 400_000
    /// Consecutive ticks with all loops idle before the monitor sleeps.
    static let idleTicksBeforeSleep = 20
    /// CPU time since a handler's first sample from which on it computes, rather than blocks.
    static let computingNanoseconds: UInt64 = 500_000
    /// With many workers, a computing handler is replaced only every so many ticks.
    static let ticksBetweenComputing = 8

    /// Starts or wakes the monitor, because a loop is in use.
    @inline(__always)
    func noteActivity() {
        if state.load(ordering: .sequentiallyConsistent) != Monitor.awake { wake() }
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

    /// Samples the thread as well, from the next tick on.
    func oversee(_ thread: InotifyThread) { inotifyThreads.withLock { $0.append(thread) } }
    func disregard(_ thread: InotifyThread) {
        inotifyThreads.withLock { $0.removeAll { $0 === thread } }
    }

    private func run() {
        Threads.setName("ring-monitor")
        Threads.useFineTimers()
        seen = pool.loops.map { Sample(loopState: $0.loopState) }
        while true {
            // Tick faster after a replacement: where one handler blocks, the next one often does
            // too.
            let isQuick = ticks &- lastCall <= Monitor.quickTicks
            let period = isQuick ? Monitor.quickPeriodNanoseconds : Monitor.periodNanoseconds
            // A grant that ends the sleep early means activity: tick now.
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
                // More computing threads than CPUs are of no use: add them slowly.
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

    /// Returns whether the thread is in use.
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
        /// Other threads have the CPU: a replacement worker would wait for it as well.
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
