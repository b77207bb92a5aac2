internal import LinuxPlatform
internal import Synchronization

/// One I/O back end with its run queue and timers, served by one worker at a time.
///
/// A loop is a pointer to memory that lives as long as the process: passing it around costs no
/// reference counting.
struct EventLoop: Equatable, @unchecked Sendable {
    // Safety: the storage's plain fields are touched under the state word, the others are atomics.
    private let storage: UnsafeMutablePointer<Storage>

    private struct Storage: ~Copyable {
        // What everybody reads and nearly nobody writes.
        let index: Int
        let isBackground: Bool
        let registrationsMigrate: Bool
        let backendKind: BackendKind
        /// Set while the loop is parked or free, and perhaps longer, but never cleared but by its
        /// holder: who pushed a work item looks at it, and only then at the state word. Whoever sets it
        /// (sequentially consistent) looks at the inbox once more.
        let isSleeping = Atomic<Bool>(true)
        let pool: Unmanaged<Pool>
        let backend: Unmanaged<IOBackend>
        let timers = LoopTimers()
        let completions: UnsafeMutableBufferPointer<Completion>
        let owned: UnsafeMutablePointer<Owned>
        /// When the parked worker wakes by itself (CLOCK_MONOTONIC). Written before the state word says
        /// `parked`; read by those who add a timer and then find it parked.
        let parkedUntil = Atomic<UInt64>(0)
        /// Requests for the loop's kernel; not to be stolen.
        let requests = Locked<[LoopRequest]>([])
        let hasRequests = Atomic<Bool>(false)
        let padding0 = CacheLine()

        // What the holder writes all the time.
        /// See `LoopState`.
        let loopState = Atomic<UInt64>(LoopState(.idle, turn: 0).word)
        /// Work items in the run queue, for others to see. Written by the state word's holder (relaxed): a
        /// hint that decides on visits, never on correctness.
        let waiting = Atomic<Int>(0)
        /// Watches that are out, likewise.
        let registrationsInFlight = Atomic<Int>(0)
        /// File operations that are out, likewise.
        let operationsInFlight = Atomic<Int>(0)
        /// Whether the kernel has not been handed all that was asked of it, likewise.
        let hasUnsubmitted = Atomic<Bool>(false)
        /// A work item that the worker runs next, without a turn of the loop in between. Filled (from
        /// nil, releasing) only when nothing else waits, so that order is kept; emptied by
        /// exchange (acquiring), by the worker or by whoever serves the loop in its place.
        let next = Atomic<WorkItemPointer?>(nil)
        let padding1 = CacheLine()

        // What those who push write.
        let inbox = WorkItemInbox()
        let padding2 = CacheLine()
    }

    /// Keeps what different threads write apart.
    private struct CacheLine {
        let words: (UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64) =
            (0, 0, 0, 0, 0, 0, 0, 0)
    }

    /// What only the state word's holder touches.
    struct Owned {
        var runQueue = RunQueue()
        /// Made when the first stream begins.
        var receiveBuffers: UnsafeMutablePointer<ReceiveBufferPool>?
        var turnsSincePoll = 0
        /// When the kernel was last asked, in ticks.
        var lastPoll: UInt64 = 0
    }

    init(index: Int, pool: Unmanaged<Pool>, backend: IOBackend) {
        let owned = UnsafeMutablePointer<Owned>.allocate(capacity: 1)
        owned.initialize(to: Owned())
        storage = .allocate(capacity: 1)
        storage.initialize(
            to: Storage(
                index: index, isBackground: pool.takeUnretainedValue().isBackground,
                registrationsMigrate: backend.registrationsMigrate, backendKind: backend.kind,
                pool: pool,
                backend: .passRetained(backend),
                completions: .allocate(capacity: EventLoop.completionBatch), owned: owned))
    }

    /// Completions that are taken from the kernel at once.
    static let completionBatch = 32

    var owned: UnsafeMutablePointer<Owned> {
        @inline(__always) get { storage.pointee.owned }
    }

    var index: Int { storage.pointee.index }
    /// See `IOBackend.bindsStreams`.
    var bindsStreams: Bool { withBackend { $0.bindsStreams } }
    /// See `IOBackend.registrationsMigrate`.
    var registrationsMigrate: Bool { storage.pointee.registrationsMigrate }
    var isBackground: Bool { storage.pointee.isBackground }
    var pool: Pool { storage.pointee.pool.takeUnretainedValue() }
    /// The kernel's side of the loop, which lives as long as the loop.
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

    /// Like `setState`, and nothing that follows is looked at before it.
    func announceState(_ loopState: LoopState) {
        _ = storage.pointee.loopState.exchange(loopState.word, ordering: .sequentiallyConsistent)
    }

    // MARK: giving the loop something to do, from any thread

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

    /// Wakes the parked worker, or calls one to a loop that nobody holds.
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

    /// Whether a timer that was added has to wake the loop: it would sleep past `latest`.
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

    /// Work was added from the loop's own user code: perhaps another loop should come for it.
    @inline(__always)
    func considerHelp() {
        storage.pointee.pool._withUnsafeGuaranteedRef { $0.considerHelp(for: self) }
    }

    // MARK: hints for others

    var isIdle: Bool { storage.pointee.isSleeping.load(ordering: .sequentiallyConsistent) }

    var inboxIsEmpty: Bool {
        storage.pointee.inbox.isEmpty
            && storage.pointee.next.load(ordering: .sequentiallyConsistent) == nil
    }

    /// Whether there is something to take in. For a worker that spins.
    var hasEvents: Bool {
        !inboxIsEmpty || hasCompletions || hasRequests
    }

    /// Whether the kernel has completions, or would after an enter. Any thread may ask.
    @inline(__always)
    var hasCompletions: Bool { withBackend { $0.hasCompletions || $0.needsEnter } }

    /// Whether only a system call tells if what is watched has happened.
    var mustAskBackend: Bool {
        registrationsInFlight > 0 && withBackend { $0.mustBeAsked }
    }

    /// Work items in the run queue.
    var waiting: Int { storage.pointee.waiting.load(ordering: .relaxed) }

    var operationsInFlight: Int { storage.pointee.operationsInFlight.load(ordering: .relaxed) }

    var registrationsInFlight: Int {
        storage.pointee.registrationsInFlight.load(ordering: .relaxed)
    }

    /// Whether something waits for a worker that is stuck in user code.
    func hasWork(now: UInt64) -> Bool {
        if waiting > 0 || !inboxIsEmpty { return true }
        if storage.pointee.hasRequests.load(ordering: .relaxed) { return true }
        if storage.pointee.hasUnsubmitted.load(ordering: .relaxed) { return true }
        if timers.earliest <= now { return true }
        if hasCompletions { return true }
        // Nothing to look at from here: serve it to find out.
        return mustAskBackend
    }

    /// Whether somebody should serve it: something waits, or may come.
    func isNeeded(now: UInt64) -> Bool {
        registrationsInFlight > 0 || operationsInFlight > 0 || timers.earliest != .max
            || hasWork(now: now)
    }

    // MARK: under the state word

    /// Everything that was pushed, oldest first.
    @inline(__always)
    func takeInbox() -> WorkItemPointer? {
        let next = takeNext()
        let rest = storage.pointee.inbox.takeAll()
        next?.pointee.next = rest
        return next ?? rest
    }

    /// The work item that is to run next. In user code, too.
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

    /// The later half of the run queue, for a visitor.
    func giveHalf() -> [WorkItemPointer] {
        let workItems = owned.pointee.runQueue.splitHalf()
        storage.pointee.waiting.store(owned.pointee.runQueue.count, ordering: .relaxed)
        return workItems
    }

    /// Takes completions out of the kernel, at most `completionBatch` of them.
    @inline(__always)
    func takeCompletions() -> UnsafeMutableBufferPointer<Completion>.SubSequence {
        let buffer = storage.pointee.completions
        return buffer[..<withBackend { $0.reap(into: buffer) }]
    }

    /// Whether `takeCompletions` would find some.
    @inline(__always)
    var canTakeCompletions: Bool { withBackend { $0.canReap } }

    /// Whether the kernel has to be entered for something else than a wait.
    var mustEnter: Bool { withBackend { $0.hasUnsubmitted || $0.needsEnter } }

    /// No watch is out on the descriptor any more; it may be closed soon.
    func release(descriptor: Int32) {
        withBackend { $0.release(descriptor: descriptor) }
    }

    @inline(__always)
    func register(descriptor: Int32, events: UInt32, token: UInt64) {
        noteRegistrationBegun()
        noteUnsubmitted()
        withBackend { $0.register(descriptor: descriptor, events: events, token: token) }
    }

    /// Whether the kernel carries out reads and writes of files by itself.
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

    /// Hands the kernel what was asked of it, and takes in what it has.
    func submit() {
        storage.pointee.hasUnsubmitted.store(hasStarvedStreams, ordering: .relaxed)
        withBackend { $0.submit() }
    }

    /// The same, and waits.
    func wait(timeoutNanoseconds: UInt64?) {
        storage.pointee.hasUnsubmitted.store(false, ordering: .relaxed)
        withBackend { $0.wait(timeoutNanoseconds: timeoutNanoseconds) }
    }

    /// Whether the kernel should be asked although work items wait: every few turns.
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

    /// Whether a busy loop should enter the kernel to look for events. epoll tells again of each
    /// descriptor whose handler waits its turn, at a cost, so it is not asked often.
    func mustPoll() -> Bool {
        if mustEnter { return true }
        guard mustAskBackend else { return false }
        return Ticks.now() &- owned.pointee.lastPoll > EventLoop.ticksBetweenPolls
    }

    private static let ticksBetweenPolls = 10_000 * Ticks.perMicrosecond

    /// Work items that run before submissions, timers and completions get their turn again.
    static let turnsBetweenPolls = 32

    var parkedUntil: UInt64 {
        get { storage.pointee.parkedUntil.load(ordering: .relaxed) }
        nonmutating set {
            storage.pointee.parkedUntil.store(newValue, ordering: .sequentiallyConsistent)
        }
    }
}
