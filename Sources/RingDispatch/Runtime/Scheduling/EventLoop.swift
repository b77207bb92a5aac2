internal import LinuxPlatform
internal import Synchronization

/// An event loop: the readiness of descriptors, a run queue of work items, and timers.
///
/// One worker at a time holds a loop and iterates: takes in pushed work items and events, and runs
/// one work item. With nothing to run, the worker parks until an event arrives or a thread wakes
/// it. `LoopState` determines which thread may touch the plain fields: the holder, or for a moment
/// one that steals. Any thread may push work items, begin and end waits for descriptors, add
/// timers, and read the hints.
///
/// **Store-then-check** keeps wake-ups from getting lost. Two threads each store one variable, then
/// load the other's. All four accesses are sequentially consistent, so at least one thread sees the
/// other's store. A producer stores a work item or a timer, then loads `isSleeping` or the state.
/// The holder stores `isSleeping` and the state, then checks for work items and timers before it
/// sleeps. So either the producer wakes the loop, or the holder sees the work;
/// if both happen, the extra wake-up is harmless. Other comments name the pattern and the other
/// side's variable: "Store-then-check with `isSleeping`."
///
/// An `EventLoop` is a pointer to memory that lives as long as the process, so copying it costs no
/// reference counting.
struct EventLoop: Equatable, Sendable {
    // Safety: `LoopState` decides which thread may touch the plain fields; the others are atomic.
    private nonisolated(unsafe) let storage: UnsafeMutablePointer<Storage>

    private struct Storage: ~Copyable {
        // Fields that all threads read and that rarely change.
        let index: Int
        /// True while the loop may be asleep (parked or idle): from the holder's last check for
        /// work until it is back, or longer. Only the holder clears it. Store-then-check with the
        /// inbox and the timers: a producer loads it after its store, and then, only if it is
        /// true, the state.
        let isSleeping = Atomic<Bool>(true)
        let pool: Unmanaged<Pool>
        let readiness: Readiness
        /// Set once, by the first handler that sends. Sequentially consistent: part of the
        /// store-then-check of `OutgoingBatch.start`.
        let output = Atomic<Unmanaged<OutgoingBatch>?>(nil)
        /// Without a batch: no attempt to make one before this time, in nanoseconds (relaxed).
        let outputRetry = Atomic<UInt64>(0)
        let owned: UnsafeMutablePointer<Owned>
        /// When the parked worker wakes by itself (CLOCK_MONOTONIC). Stored before the state
        /// becomes `parked`; loaded by threads that have added a timer and find the loop parked.
        let parkedUntil = Atomic<UInt64>(0)
        let padding0 = CacheLine()

        // Fields that the holder writes all the time.
        /// See `LoopState`.
        let loopState = Atomic<UInt64>(LoopState(.idle, turn: 0).word)
        /// Number of work items in the run queue. The holder writes it (relaxed) as a hint for
        /// other threads, which decides on stealing and help, never on correctness.
        let waiting = Atomic<Int>(0)
        let padding1 = CacheLine()

        // Fields that producers write.
        let inbox = WorkItemInbox()
        let padding2 = CacheLine()
        let timers = LoopTimers()
    }

    /// Keeps fields that different threads write in separate cache lines.
    private struct CacheLine {
        let words: (UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64) =
            (0, 0, 0, 0, 0, 0, 0, 0)
    }

    /// The fields that only the holder touches. Not in `Storage`: ThreadSanitizer takes a change of
    /// one of its fields for a change of all.
    struct Owned {
        var runQueue = RunQueue()
        var iterationsSincePoll = 0
        /// Time of the last fetch of events, in ticks.
        var lastFetch: UInt64 = 0
    }

    init(index: Int, pool: Unmanaged<Pool>) throws(SystemError) {
        let readiness = try Readiness()
        let owned = UnsafeMutablePointer<Owned>.allocate(capacity: 1)
        owned.initialize(to: Owned())
        storage = .allocate(capacity: 1)
        storage.initialize(
            to: Storage(index: index, pool: pool, readiness: readiness, owned: owned))
    }

    /// Frees a loop that no thread has used.
    func destroy() {
        let owned = storage.pointee.owned
        owned.deinitialize(count: 1)
        owned.deallocate()
        storage.deinitialize(count: 1)
        storage.deallocate()
    }

    init(address: UnsafeMutableRawPointer) {
        storage = address.assumingMemoryBound(to: Storage.self)
    }

    var address: UnsafeMutableRawPointer {
        @inline(__always) get { UnsafeMutableRawPointer(storage) }
    }

    var owned: UnsafeMutablePointer<Owned> {
        @inline(__always) get { storage.pointee.owned }
    }

    var index: Int { storage.pointee.index }
    var pool: Pool { storage.pointee.pool.takeUnretainedValue() }

    @inline(__always)
    func belongs(to pool: Pool) -> Bool {
        storage.pointee.pool.toOpaque() == Unmanaged.passUnretained(pool).toOpaque()
    }

    var readiness: Readiness {
        @inline(__always) _read { yield storage.pointee.readiness }
    }

    /// What the loop's handlers have sent, and the kernel has not got yet.
    var output: Unmanaged<OutgoingBatch>? {
        @inline(__always) get { storage.pointee.output.load(ordering: .sequentiallyConsistent) }
    }

    /// Sets the batch, which lives as long as the process. Call it once.
    func setOutput(_ batch: OutgoingBatch) {
        storage.pointee.output.store(.passRetained(batch), ordering: .sequentiallyConsistent)
    }

    var outputRetry: UInt64 {
        get { storage.pointee.outputRetry.load(ordering: .relaxed) }
        nonmutating set { storage.pointee.outputRetry.store(newValue, ordering: .relaxed) }
    }

    /// Passes sends that are old to the kernel.
    @inline(__always)
    func submitOldSends() { output?._withUnsafeGuaranteedRef { $0.submitIfOld() } }

    /// Passes sends to the kernel. From any thread.
    @inline(__always)
    func submitSends() {
        output?._withUnsafeGuaranteedRef { if !$0.isEmpty { $0.submit() } }
    }

    var timers: LoopTimers {
        @inline(__always) _read { yield storage.pointee.timers }
    }

    // MARK: state word

    @inline(__always)
    var loopState: LoopState {
        LoopState(word: storage.pointee.loopState.load(ordering: .sequentiallyConsistent))
    }

    @inline(__always)
    func isHeld(by context: Context) -> Bool {
        context.pointee.loopState != 0
            && loopState.word == context.pointee.loopState
    }

    @inline(__always)
    func exchangeState(_ expected: LoopState, for desired: LoopState) -> Bool {
        storage.pointee.loopState.compareExchange(
            expected: expected.word, desired: desired.word, ordering: .sequentiallyConsistent
        ).exchanged
    }

    @inline(__always)
    func setState(_ loopState: LoopState) {
        storage.pointee.loopState.store(loopState.word, ordering: .releasing)
    }

    /// Like `setState`, but sequentially consistent: the store of a store-then-check.
    func announceState(_ loopState: LoopState) {
        _ = storage.pointee.loopState.exchange(loopState.word, ordering: .sequentiallyConsistent)
    }

    // MARK: adding work, from any thread

    /// - Returns: whether nothing else waits.
    @inline(__always)
    @discardableResult
    func push(_ workItem: WorkItemPointer, from context: Context) -> Bool {
        let wasEmpty = storage.pointee.inbox.push(workItem)
        // The holder takes the item in when its handler ends.
        if !isHeld(by: context) { wakeIfSleeping() }
        return wasEmpty && waiting == 0
    }

    func push(_ workItems: WorkItemList) {
        storage.pointee.inbox.push(workItems)
        wakeIfSleeping()
    }

    @inline(__always)
    private func wakeIfSleeping() {
        if isSleeping { wake() }
    }

    func setSleeping(_ isSleeping: Bool) {
        storage.pointee.pool._withUnsafeGuaranteedRef {
            _ = $0.sleepingLoops.wrappingAdd(isSleeping ? 1 : -1, ordering: .relaxed)
        }
        storage.pointee.isSleeping.store(isSleeping, ordering: .sequentiallyConsistent)
    }

    /// Wakes the parked worker, or calls a worker to an idle loop.
    func wake() {
        while true {
            let loopState = self.loopState
            switch loopState.phase {
            case .parked:
                if exchangeState(loopState, for: loopState.with(.woken)) {
                    readiness.ring()
                    pool.counters.wakeUps.wrappingAdd(1, ordering: .relaxed)
                    Trace.note(.wakeUp, loop: index)
                    let context = Context.current
                    if !context.pointee.isWorker { context.pointee.spin.noteWoken() }
                    return
                }
            case .idle:
                let called = loopState.with(.assigned)
                if exchangeState(loopState, for: called) {
                    pool.call(to: self, expecting: called)
                    return
                }
            case .assigned, .running, .inHandler, .stealing, .woken:
                return
            }
        }
    }

    /// Whether the loop must be woken for a new timer, because it would sleep past `latest`.
    /// Store-then-check: the caller has stored the timer.
    func mustWake(for latest: UInt64) -> Bool {
        switch loopState.phase {
        case .idle:
            true
        case .parked:
            latest < storage.pointee.parkedUntil.load(ordering: .sequentiallyConsistent)
        case .assigned, .running, .inHandler, .stealing, .woken:
            false
        }
    }

    /// A handler has added work: another loop may help with it.
    @inline(__always)
    func considerHelp() {
        storage.pointee.pool._withUnsafeGuaranteedRef { $0.considerHelp(for: self) }
    }

    // MARK: hints for other threads

    var isSleeping: Bool { storage.pointee.isSleeping.load(ordering: .sequentiallyConsistent) }

    var inboxIsEmpty: Bool { storage.pointee.inbox.isEmpty }

    /// Whether descriptors are waited for. Only a system call shows whether they are ready.
    var hasWaits: Bool { readiness.count > 0 }

    var waiting: Int { storage.pointee.waiting.load(ordering: .relaxed) }

    /// Whether the loop has work that waits for a worker stuck in a handler.
    func hasWork(now: UInt64) -> Bool {
        if waiting > 0 || !inboxIsEmpty { return true }
        if timers.earliest <= now { return true }
        return hasWaits && readiness.isReady
    }

    /// Whether the loop needs a worker: it has work, or waits for events.
    var isNeeded: Bool {
        waiting > 0 || !inboxIsEmpty || hasWaits || timers.earliest != .max
    }

    // MARK: for the holder

    /// All pushed work items, oldest first.
    @inline(__always)
    func takeInbox() -> WorkItemPointer? { storage.pointee.inbox.takeAll() }

    /// Moves all pushed work items to the run queue.
    @inline(__always)
    func enqueueInbox() { enqueue(all: takeInbox()) }

    @inline(__always)
    func enqueue(all workItems: WorkItemPointer?) {
        guard workItems != nil else { return }
        owned.pointee.runQueue.append(all: workItems)
        storage.pointee.waiting.store(owned.pointee.runQueue.count, ordering: .relaxed)
    }

    @inline(__always)
    func enqueue(_ workItem: WorkItemPointer) {
        owned.pointee.runQueue.append(workItem)
        storage.pointee.waiting.store(owned.pointee.runQueue.count, ordering: .relaxed)
    }

    @inline(__always)
    func nextWorkItem() -> WorkItemPointer? {
        guard let workItem = owned.pointee.runQueue.popFirst() else { return nil }
        storage.pointee.waiting.store(owned.pointee.runQueue.count, ordering: .relaxed)
        return workItem
    }

    /// Removes work items in their order, at most `limit`.
    func takeWork(limit: Int = .max) -> WorkItemList {
        enqueueInbox()
        let taken = owned.pointee.runQueue.popAll(limit: limit)
        storage.pointee.waiting.store(owned.pointee.runQueue.count, ordering: .relaxed)
        return taken
    }

    /// Removes the later half of the run queue, for a worker that steals it.
    func giveHalf() -> WorkItemList {
        let workItems = owned.pointee.runQueue.splitHalf()
        storage.pointee.waiting.store(owned.pointee.runQueue.count, ordering: .relaxed)
        return workItems
    }

    // MARK: events, for the holder

    /// Waits for events (nil: without limit; 0: not at all). Deliver them next.
    @inline(__always)
    func wait(timeoutNanoseconds: UInt64?) -> Int {
        let count = readiness.wait(timeoutNanoseconds: timeoutNanoseconds)
        owned.pointee.iterationsSincePoll = 0
        owned.pointee.lastFetch = Ticks.now()
        return count
    }

    /// Whether events are due to be taken in although work items wait: every few iterations.
    @inline(__always)
    func isPollDue() -> Bool {
        owned.pointee.iterationsSincePoll &+= 1
        guard owned.pointee.iterationsSincePoll >= Tuning.workItemsBetweenPolls
        else { return false }
        owned.pointee.iterationsSincePoll = 0
        return true
    }

    /// Whether a busy loop should fetch events. The kernel reports a source's descriptor again
    /// while its handler waits for its turn, which costs two more system calls, so the loop fetches
    /// rarely.
    func isFetchDue() -> Bool {
        hasWaits && Ticks.now() &- owned.pointee.lastFetch > Tuning.ticksBetweenFetches
    }

    var parkedUntil: UInt64 {
        get { storage.pointee.parkedUntil.load(ordering: .relaxed) }
        nonmutating set {
            storage.pointee.parkedUntil.store(newValue, ordering: .sequentiallyConsistent)
        }
    }
}
