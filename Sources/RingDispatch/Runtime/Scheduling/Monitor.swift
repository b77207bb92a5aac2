internal import LinuxPlatform
internal import Synchronization

/// The monitor: a thread that gives a loop to another worker when its own is stuck in a handler.
///
/// While a loop is in use, a timer wakes the monitor once a millisecond: this is a tick. At each
/// tick it samples the state word of every loop. If a loop is in a handler and has the same word as
/// at the last tick, turn included, then one handler has been running since then. If work waits on
/// that loop, the monitor calls a replacement worker, which takes the loop over unless the word has
/// changed again. A holder that is ready to run but has no CPU is left alone, because a replacement
/// would have no CPU either. A holder that uses the CPU gets a replacement less often once there
/// are many workers. If the first handler of a replacement blocks, too, the monitor moves work
/// items that wait on the loop to `AwayWork`.
///
/// A tick that finds no loop in use, and no away work that waits, stops the timer. The next worker
/// that wakes up starts it. In a quiet process the worker also stops it before it sleeps again, so
/// the monitor does not wake up: each event costs two cheap system calls instead. They are cheap
/// because the tick that never comes is set to come late (`Tuning.quietTick`).
final class Monitor: Sendable {
    // Safety: set once, before the thread starts and the pool is shared.
    nonisolated(unsafe) unowned(unsafe) var pool: Pool!
    private let timer: TimerDescriptor
    /// Relaxed: before the thread has stored it, the main thread serves as well.
    private let identifier = Atomic<UInt32>(Threads.mainIdentifier)
    private let control = Locked(Control())
    /// Whether the timer runs. Written under the lock, with the timer. Store-then-check with the
    /// loops' states: a worker that wakes up stores its loop's state and then loads this; the
    /// thread that stops the timer clears this, and then starts it again if a loop is in use.
    private let isRunning = Atomic<Bool>(false)

    private struct Control {
        var period: UInt64 = 0
        /// How often the timer was stopped since the last tick.
        var stopsSinceTick = 0
    }

    /// What the monitor knows of a loop.
    struct Sample {
        var loopState: LoopState
        /// From the first tick that showed `loopState` on.
        var usage = CPUUsage(nil)
        /// A worker was called for `loopState`.
        var hasCalled = false
        /// The state in the last handler that blocked.
        var blocked: LoopState?
    }

    init() throws(SystemError) {
        timer = try TimerDescriptor()
    }

    /// The monitor's thread. It makes the workers that others cannot make.
    var thread: UInt32 { identifier.load(ordering: .relaxed) }

    /// Starts the thread, once the pool has its loops.
    func startThread() throws(SystemError) {
        try Threads.start { self.run() }
    }

    /// A loop is in use: starts the timer unless it runs.
    @inline(__always)
    func noteActivity() {
        if !isRunning.load(ordering: .sequentiallyConsistent) { start() }
    }

    /// A loop goes to sleep in a quiet process: stops the timer if no loop is awake.
    @inline(__always)
    func noteQuiet() {
        if isRunning.load(ordering: .sequentiallyConsistent) { stop() }
    }

    @inline(never)
    private func start() {
        control.withLock { control in
            guard control.period == 0 else { return }
            let isQuiet = control.stopsSinceTick >= Tuning.quietStops
            setPeriod(isQuiet ? Tuning.quietTick : Tuning.tick, &control)
        }
    }

    @inline(never)
    private func stop() {
        guard pool.isQuiet else { return }
        control.withLock { control in
            if control.period != 0 { control.stopsSinceTick += 1 }
            setPeriod(0, &control)
        }
        if !pool.isQuiet { noteActivity() }
    }

    private func setPeriod(_ period: UInt64, _ control: inout sending Control) {
        guard control.period != period else { return }
        control.period = period
        isRunning.store(period != 0, ordering: .sequentiallyConsistent)
        timer.set(periodNanoseconds: period)
    }

    private func run() {
        Threads.setName("ring-monitor")
        // The first user of the library may be a thread that the program has bound to a CPU.
        Threads.useCPUsOfMainThread()
        identifier.store(Threads.currentIdentifier, ordering: .relaxed)
        var samples = pool.loops.map { _ in Sample(loopState: LoopState(word: .max)) }
        var ticks = 0
        /// The last tick that called a worker.
        var lastCall = -Tuning.quickTicks
        while true {
            timer.wait()
            ticks &+= 1
            if tick(&samples, mayCompute: ticks % Tuning.ticksBetweenComputing == 0) {
                lastCall = ticks
            }
            let isQuick = ticks &- lastCall < Tuning.quickTicks
            let isQuiet = pool.isQuiet
            control.withLock { control in
                control.stopsSinceTick = 0
                if !isQuiet { setPeriod(isQuick ? Tuning.quickTick : Tuning.tick, &control) }
            }
            if isQuiet { stop() }
        }
    }

    /// - Parameter mayCompute: whether a handler that computes is replaced although there are many
    ///   workers.
    /// - Returns: whether it has called a worker.
    private func tick(_ samples: inout [Sample], mayCompute: Bool) -> Bool {
        let now = MonotonicClock.nanoseconds()
        var hasCalled = false
        for (index, loop) in pool.loops.enumerated()
        where isStuck(loop, &samples[index], now: now, mayCompute: mayCompute) {
            samples[index].hasCalled = pool.call(to: loop, expecting: samples[index].loopState)
            hasCalled = hasCalled || samples[index].hasCalled
        }
        let hasCalledAway = pool.callAway(pool.away.tick(mayCompute: mayCompute))
        StallWatch.check(pool, now: now)
        return hasCalled || hasCalledAway
    }

    /// Samples a loop. Returns whether it needs a replacement worker.
    private func isStuck(
        _ loop: EventLoop, _ sample: inout Sample, now: UInt64, mayCompute: Bool
    ) -> Bool {
        let loopState = loop.loopState
        if loopState.phase == .idle && loop.isNeeded {
            // No worker was available.
            loop.wake()
            return false
        }
        let isSame = loopState == sample.loopState
        if !isSame { sample.hasCalled = false }
        sample.loopState = loopState
        guard loopState.phase == .inHandler else { return false }
        loop.submitOldSends()
        let thread = pool.workers.with(loopState.worker) { worker in
            worker.handle.map { handle in
                worker.observe(handle.item, now: now)
                return handle.identifier
            }
        }
        guard isSame else {
            sample.usage = CPUUsage(thread.flatMap(Threads.cpuNanoseconds(ofThread:)))
            return false
        }
        guard loop.hasWork(now: now), !sample.hasCalled else { return false }
        switch sample.usage.activity(of: thread) {
        case .waitsForCPU:
            return false
        case .computes:
            // More computing threads than CPUs are of no use: add them slowly.
            return mayCompute || pool.workers.counts.all <= 2 * pool.loops.count
        case .blocks:
            pool.workers.with(loopState.worker) {
                $0.blockedState.store(loopState.word, ordering: .relaxed)
            }
            // A take-over is a turn, and this is the first handler after one. If that blocks, too,
            // those that wait probably will.
            if let last = sample.blocked, last.worker != loopState.worker,
                loopState.turn == last.turn &+ 2
            {
                pool.moveAway(workOf: loop, loopState)
            }
            sample.blocked = loopState
            return true
        }
    }
}
