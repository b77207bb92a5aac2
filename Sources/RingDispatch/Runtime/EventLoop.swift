internal import LinuxPlatform
internal import Synchronization

/// An event loop: an I/O back end (an io_uring instance or an epoll set), a run queue of work
/// items, and timers.
///
/// One worker at a time holds a loop and runs its turns. A turn takes in requests, pushed work
/// items and completions, and runs one work item. With nothing to run, the worker parks in the back
/// end until an event arrives or a thread wakes it. `LoopState` determines which thread may touch
/// the plain fields and most of the back end: the holder, or for a moment a stealing worker. Any
/// thread may push work items, add requests and timers, and read the hints.
///
/// **Store-then-check** keeps wake-ups from getting lost. Two threads each store one variable, then
/// load the other's. All four accesses are sequentially consistent, so at least one thread sees the
/// other's store. A producer stores a work item, a request or a timer, then loads `isSleeping` or
/// the state. The holder stores `isSleeping` and the state, then checks for work items, requests
/// and timers before it sleeps. So either the producer wakes the loop, or the holder sees the work;
/// if both happen, the extra wake-up is harmless. Other comments name the pattern and the other
/// side's variable: "Store-then-check with `isSleeping`."
///
/// An `EventLoop` is a pointer to memory that lives as long as the process, so copying it costs no
/// reference counting.
struct EventLoop: Equatable, @unchecked Sendable {
    // Safety: `LoopState` decides which thread may touch the plain fields; the others are atomic.
    private let storage: UnsafeMutablePointer<Storage>

    private struct Storage: ~Copyable {
        // Fields that all threads read and that rarely change.
        let index: Int
        let isBackground: Bool
        let registrationsMigrate: Bool
        /// True while the loop may be asleep (parked or idle): from the holder's last check for
        /// work until it is back, or longer. Only the holder clears it. Store-then-check with the
        /// inbox, requests and timers: a producer loads it after its store, and then, only if it is
        /// true, the state.
        let isSleeping = Atomic<Bool>(true)
        let pool: Unmanaged<Pool>
        let backend: Unmanaged<IOBackend>
        let timers = LoopTimers()
        let completions: UnsafeMutableBufferPointer<Completion>
        let owned: UnsafeMutablePointer<Owned>
        /// When the parked worker wakes by itself (CLOCK_MONOTONIC). Stored before the state
        /// becomes `parked`; loaded by threads that have added a timer and find the loop parked.
        let parkedUntil = Atomic<UInt64>(0)
        /// Requests that only the holder can carry out; never stolen.
        let requests = Locked<[LoopRequest]>([])
        let hasRequests = Atomic<Bool>(false)
        let padding0 = CacheLine()

        // Fields that the holder writes all the time.
        /// See `LoopState`.
        let loopState = Atomic<UInt64>(LoopState(.idle, turn: 0).word)
        /// Number of work items in the run queue. The holder writes it (relaxed) as a hint for
        /// other threads, which decides on stealing and help, never on correctness.
        let waiting = Atomic<Int>(0)
        /// Registrations in flight, likewise.
        let registrationsInFlight = Atomic<Int>(0)
        /// File operations in flight, likewise.
        let operationsInFlight = Atomic<Int>(0)
        /// Whether the back end has entries that were not submitted to the kernel, likewise.
        let hasUnsubmitted = Atomic<Bool>(false)
        /// A work item that runs next, without a turn of the loop before it. A handler fills it
        /// (from nil, releasing) only if nothing else waits, which keeps the order. The worker, or
        /// the one that took over the loop, empties it by an exchange (acquiring).
        let next = Atomic<WorkItemPointer?>(nil)
        let padding1 = CacheLine()

        // Fields that producers write.
        let inbox = WorkItemInbox()
        let padding2 = CacheLine()
    }

    /// Keeps fields that different threads write in separate cache lines.
    private struct CacheLine {
        let words: (UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64) =
            (0, 0, 0, 0, 0, 0, 0, 0)
    }

    /// The fields that only the holder touches.
    struct Owned {
        var runQueue = RunQueue()
        /// Allocated when the first stream begins.
        var receiveBuffers: UnsafeMutablePointer<ReceiveBufferPool>?
        var turnsSincePoll = 0
        /// Time of the last poll of the back end, in ticks.
        var lastPoll: UInt64 = 0
    }

    init(index: Int, pool: Unmanaged<Pool>, backend: IOBackend) {
        let owned = UnsafeMutablePointer<Owned>.allocate(capacity: 1)
        owned.initialize(to: Owned())
        storage = .allocate(capacity: 1)
        storage.initialize(
            to: Storage(
                index: index, isBackground: pool.takeUnretainedValue().isBackground,
                registrationsMigrate: backend.registrationsMigrate, pool: pool,
                backend: .passRetained(backend),
                completions: .allocate(capacity: EventLoop.completionBatch), owned: owned))
    }

    /// Most completions taken from the back end at once.
    static let completionBatch = 32

    var owned: UnsafeMutablePointer<Owned> {
        @inline(__always) get { storage.pointee.owned }
    }

    var index: Int { storage.pointee.index }
    /// See `IOBackend.registrationsMigrate`.
    var registrationsMigrate: Bool { storage.pointee.registrationsMigrate }
    var isBackground: Bool { storage.pointee.isBackground }
    var pool: Pool { storage.pointee.pool.takeUnretainedValue() }
    /// The back end lives as long as the loop.
    @inline(__always)
    func withBackend<Result>(_ body: (IOBackend) -> Result) -> Result {
        storage.pointee.backend._withUnsafeGuaranteedRef(body)
    }

    var timers: LoopTimers {
        @inline(__always) get { storage.pointee.timers }
    }

    // MARK: state word

    @inline(__always)
    var loopState: LoopState {
        LoopState(word: storage.pointee.loopState.load(ordering: .sequentiallyConsistent))
    }

    @inline(__always)
    func isHeld(by context: Context) -> Bool {
        context.pointee.loopState != 0
            && storage.pointee.loopState.load(ordering: .relaxed) == context.pointee.loopState
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

    @inline(__always)
    func push(_ workItem: WorkItemPointer, from context: Context) {
        if isHeld(by: context) {
            if waiting == 0, storage.pointee.inbox.isEmpty,
                storage.pointee.next.compareExchange(
                    expected: nil, desired: workItem, ordering: .sequentiallyConsistent
                ).exchanged
            {
                if !isHeld(by: context) { wakeIfSleeping() }
                return
            }
            _ = storage.pointee.inbox.push(workItem)
            if isHeld(by: context) { return }
        } else {
            _ = storage.pointee.inbox.push(workItem)
        }
        wakeIfSleeping()
    }

    func push(_ workItems: consuming WorkItemChain, from context: Context) {
        storage.pointee.inbox.push(workItems)
        wakeIfSleeping()
    }

    @inline(__always)
    private func wakeIfSleeping() {
        if storage.pointee.isSleeping.load(ordering: .sequentiallyConsistent) { wakeIfIdle() }
    }

    func setSleeping(_ isSleeping: Bool) {
        storage.pointee.isSleeping.store(isSleeping, ordering: .sequentiallyConsistent)
    }

    func request(_ request: LoopRequest, from context: Context) {
        storage.pointee.requests.withLock { $0.append(request) }
        storage.pointee.hasRequests.store(true, ordering: .sequentiallyConsistent)
        wakeIfSleeping()
    }

    /// Wakes the parked worker, or calls a worker to an idle loop.
    func wakeIfIdle() {
        while true {
            let loopState = self.loopState
            switch loopState.phase {
            case .parked:
                if exchangeState(loopState, for: loopState.with(.woken)) {
                    withBackend { $0.wake() }
                    let context = Context.current
                    if context.pointee.worker == nil { context.pointee.spin.noteWoken() }
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

    var isIdle: Bool { storage.pointee.isSleeping.load(ordering: .sequentiallyConsistent) }

    var inboxIsEmpty: Bool {
        storage.pointee.inbox.isEmpty
            && storage.pointee.next.load(ordering: .sequentiallyConsistent) == nil
    }

    /// Whether the loop has anything to take in. For a worker that spins.
    var hasEvents: Bool {
        !inboxIsEmpty || hasCompletions || hasRequests
    }

    /// Whether the back end has completions, or would have some after an enter. From any thread.
    @inline(__always)
    var hasCompletions: Bool { withBackend { $0.hasCompletions || $0.needsEnter } }

    /// Whether pending events are visible only through a system call.
    var mustAskBackend: Bool {
        registrationsInFlight > 0 && withBackend { $0.mustBeAsked }
    }

    var waiting: Int { storage.pointee.waiting.load(ordering: .relaxed) }

    var operationsInFlight: Int { storage.pointee.operationsInFlight.load(ordering: .relaxed) }

    var registrationsInFlight: Int {
        storage.pointee.registrationsInFlight.load(ordering: .relaxed)
    }

    /// Whether the loop has work that waits for a worker stuck in a handler.
    func hasWork(now: UInt64) -> Bool {
        if waiting > 0 || !inboxIsEmpty { return true }
        if storage.pointee.hasRequests.load(ordering: .relaxed) { return true }
        if storage.pointee.hasUnsubmitted.load(ordering: .relaxed) { return true }
        if timers.earliest <= now { return true }
        if hasCompletions { return true }
        // Only a worker that serves the loop can find out: assume that there are events.
        return mustAskBackend
    }

    /// Whether the loop needs a worker: it has work, or waits for events.
    func isNeeded(now: UInt64) -> Bool {
        registrationsInFlight > 0 || operationsInFlight > 0 || timers.earliest != .max
            || hasWork(now: now)
    }

    // MARK: for the holder

    /// All pushed work items, oldest first.
    @inline(__always)
    func takeInbox() -> WorkItemPointer? {
        let next = takeNext()
        let rest = storage.pointee.inbox.takeAll()
        next?.pointee.next = rest
        return next ?? rest
    }

    /// The work item to run next. Also called while the worker is in user code.
    @inline(__always)
    func takeNext() -> WorkItemPointer? {
        guard storage.pointee.next.load(ordering: .relaxed) != nil else { return nil }
        return storage.pointee.next.exchange(nil, ordering: .acquiring)
    }

    func takeRequests() -> [LoopRequest]? {
        guard storage.pointee.hasRequests.load(ordering: .relaxed) else { return nil }
        storage.pointee.hasRequests.store(false, ordering: .sequentiallyConsistent)
        return storage.pointee.requests.withLock { requests in
            defer { requests = [] }
            return requests
        }
    }

    var hasRequests: Bool { storage.pointee.hasRequests.load(ordering: .sequentiallyConsistent) }

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

    /// Removes the later half of the run queue, for a worker that steals it.
    func giveHalf() -> [WorkItemPointer] {
        let workItems = owned.pointee.runQueue.splitHalf()
        storage.pointee.waiting.store(owned.pointee.runQueue.count, ordering: .relaxed)
        return workItems
    }

    /// Takes completions from the back end, at most `completionBatch`.
    @inline(__always)
    func takeCompletions() -> UnsafeMutableBufferPointer<Completion>.SubSequence {
        let buffer = storage.pointee.completions
        return buffer[..<withBackend { $0.reap(into: buffer) }]
    }

    /// Whether `takeCompletions` would return any.
    @inline(__always)
    var canTakeCompletions: Bool { withBackend { $0.canReap } }

    /// Whether the kernel must be entered for another reason than a wait.
    var mustEnter: Bool { withBackend { $0.hasUnsubmitted || $0.needsEnter } }

    /// Forgets a descriptor without registrations in flight, which may be closed soon.
    func release(descriptor: Int32) {
        withBackend { $0.release(descriptor: descriptor) }
    }

    @inline(__always)
    func register(descriptor: Int32, events: UInt32, token: UInt64) {
        noteRegistrationBegun()
        noteUnsubmitted()
        withBackend { $0.register(descriptor: descriptor, events: events, token: token) }
    }

    /// Whether the back end reads and writes files asynchronously.
    var carriesOutRequests: Bool { withBackend { $0.carriesOutRequests } }

    func start(_ request: FileRequest, token: UInt64) {
        storage.pointee.operationsInFlight.store(operationsInFlight &+ 1, ordering: .relaxed)
        noteUnsubmitted()
        withBackend { $0.start(request, token: token) }
    }

    func cancelRequest(token: UInt64) {
        noteUnsubmitted()
        withBackend { $0.cancelRequest(token: token) }
    }

    func cancelRegistration(descriptor: Int32, token: UInt64) {
        noteUnsubmitted()
        withBackend { $0.cancelRegistration(descriptor: descriptor, token: token) }
    }

    @inline(__always)
    func noteUnsubmitted() {
        storage.pointee.hasUnsubmitted.store(true, ordering: .relaxed)
    }

    @inline(__always)
    func noteRegistrationBegun() {
        storage.pointee.registrationsInFlight.store(registrationsInFlight &+ 1, ordering: .relaxed)
    }

    @inline(__always)
    func noteRegistrationEnded() {
        storage.pointee.registrationsInFlight.store(registrationsInFlight &- 1, ordering: .relaxed)
    }

    func noteOperationEnded() {
        storage.pointee.operationsInFlight.store(operationsInFlight &- 1, ordering: .relaxed)
    }

    /// Submits the back end's entries to the kernel, and takes completions in.
    func submit() {
        storage.pointee.hasUnsubmitted.store(hasStarvedStreams, ordering: .relaxed)
        withBackend { $0.submit() }
    }

    /// The same, and waits for an event.
    func wait(timeoutNanoseconds: UInt64?) {
        storage.pointee.hasUnsubmitted.store(false, ordering: .relaxed)
        withBackend { $0.wait(timeoutNanoseconds: timeoutNanoseconds) }
    }

    /// Whether the back end is due for a poll although work items wait: every few turns.
    @inline(__always)
    func isPollDue() -> Bool {
        owned.pointee.turnsSincePoll &+= 1
        guard owned.pointee.turnsSincePoll >= EventLoop.turnsBetweenPolls else { return false }
        owned.pointee.turnsSincePoll = 0
        return true
    }

    func notePoll() {
        owned.pointee.turnsSincePoll = 0
        owned.pointee.lastPoll = Ticks.now()
    }

    /// Whether a busy loop should enter the kernel to poll for events. epoll reports every ready
    /// descriptor again while its handler waits for its turn, which is costly, so the loop polls it
    /// rarely.
    func mustPoll() -> Bool {
        if mustEnter { return true }
        guard mustAskBackend else { return false }
        return Ticks.now() &- owned.pointee.lastPoll > EventLoop.ticksBetweenPolls
    }

    private static let ticksBetweenPolls = 10_000 * Ticks.perMicrosecond

    /// Work items that run between two polls of submissions, timers and completions.
    static let turnsBetweenPolls = 32

    var parkedUntil: UInt64 {
        get { storage.pointee.parkedUntil.load(ordering: .relaxed) }
        nonmutating set {
            storage.pointee.parkedUntil.store(newValue, ordering: .sequentiallyConsistent)
        }
    }
}
