internal import LinuxPlatform
internal import Synchronization

/// A thread of the runtime. It serves the loop that it holds. After another worker has taken that
/// loop over, it serves away work, and then joins the idle workers. A worker that was idle for
/// `Tuning.idleWorkerPatience` ends, unless few are left.
final class Worker: Sendable {
    // Safety: the pool's lock and the thread's grant hand `assignment` over; the atomics are for
    // other threads.
    let index: UInt64
    unowned(unsafe) let pool: Pool
    /// The next loop to serve; nil: away work.
    nonisolated(unsafe) var assignment: Assignment?
    /// The state word with which a handler of the worker blocked, so that the monitor called a
    /// replacement. A hint (relaxed).
    let blockedState = Atomic<UInt64>(0)
    /// The number of the item that the worker was last seen with, stored (releasing) after the time
    /// when it was first seen, in nanoseconds. Hints: two observers may overwrite each other.
    private let seenItem = Atomic<UInt64>(0)
    private let seenSince = Atomic<UInt64>(0)
    /// The number of the last item that `StallWatch` has reported (relaxed).
    let reportedItem = Atomic<UInt64>(0)
    /// The address of the thread's `ThreadHandle`, once it runs.
    private let threadHandle = Atomic<UInt>(0)

    struct Assignment {
        let loop: EventLoop
        let expecting: LoopState
    }

    init(index: UInt64, pool: Pool, assignment: Assignment?) {
        self.index = index
        self.pool = pool
        self.assignment = assignment
    }

    /// The time when an item of the worker was first seen, in nanoseconds, by this call or an
    /// earlier one. From any thread.
    @discardableResult
    func observe(_ item: UInt64, now: UInt64) -> UInt64 {
        if seenItem.load(ordering: .acquiring) != item {
            seenSince.store(now, ordering: .relaxed)
            seenItem.store(item, ordering: .releasing)
        }
        return min(seenSince.load(ordering: .relaxed), now)
    }

    /// The worker begins an item without a loop, so the monitor does not see it.
    @inline(never)
    func observeItem(_ context: Context) {
        observe(context.pointee.threadHandle.item, now: MonotonicClock.nanoseconds())
        if StallWatch.isOn { pool.monitor.noteActivity() }
    }

    /// The thread's handle; nil before the thread has begun.
    var handle: ThreadHandle? {
        UnsafeMutableRawPointer(bitPattern: threadHandle.load(ordering: .acquiring))
            .map { ThreadHandle(address: $0) }
    }

    func run() {
        let context = Context.current
        context.pointee.worker = self
        threadHandle.store(
            UInt(bitPattern: context.pointee.threadHandle.address), ordering: .releasing)
        Threads.useFineTimers()
        if pool.isBackground { Threads.useBackgroundPriority() }
        Threads.setName("ring-\(pool.isBackground ? "bg-" : "")\(index)")
        while true {
            let isCalledAway = assignment == nil
            if let assignment {
                self.assignment = nil
                let taken = LoopState(.running, worker: index, turn: assignment.expecting.turn &+ 1)
                if take(assignment, as: taken) {
                    context.pointee.loop = assignment.loop
                    context.pointee.loopState = taken.word
                    if assignment.expecting.phase == .inHandler {
                        pool.counters.takeOvers.wrappingAdd(1, ordering: .relaxed)
                        Trace.note(.takeOver, loop: assignment.loop.index)
                    }
                    if assignment.expecting.phase == .assigned {
                        assignment.loop.setSleeping(false)
                    }
                    serve(assignment.loop, context)
                }
            }
            serveAway(context, isCalled: isCalledAway)
            pool.workers.becomeIdle(self)
            if !waitForCall(context) { return }
        }
    }

    /// Takes a loop, unless its state has changed. The monitor calls no other worker for the same
    /// handler, so a thread that steals meanwhile is waited for.
    private func take(_ assignment: Assignment, as taken: LoopState) -> Bool {
        let stealing = assignment.expecting.with(.stealing)
        while true {
            if assignment.loop.exchangeState(assignment.expecting, for: taken) { return true }
            let loopState = assignment.loop.loopState
            guard loopState == stealing || loopState == assignment.expecting else { return false }
            Threads.yield()
        }
    }

    /// Returns false if the worker must end.
    private func waitForCall(_ context: Context) -> Bool {
        let threadHandle = context.pointee.threadHandle
        if threadHandle.park(deadline: MonotonicClock.nanoseconds() &+ Tuning.idleWorkerPatience) {
            return true
        }
        if pool.workers.retire(self) { return false }
        return threadHandle.park()
    }

    /// Runs work items that are away from the loops.
    private func serveAway(_ context: Context, isCalled: Bool) {
        if !isCalled && pool.away.isEmpty { return }
        var isCalled = isCalled
        while let workItem = pool.away.next(context, isCalled: isCalled) {
            isCalled = false
            QueueLayer.run(workItem, context)
        }
    }
}
