internal import Ring
internal import Synchronization

/// One kernel instance with its run queue and timers, served by one worker at a time.
///
/// A lane is a pointer to memory that lives as long as the process: passing it around costs no
/// reference counting.
struct Lane: Equatable, @unchecked Sendable {
    // Safety: the storage's plain fields are touched under the lease, the others are atomics.
    private let storage: UnsafeMutablePointer<Storage>

    private struct Storage: ~Copyable {
        // What everybody reads and nearly nobody writes.
        let index: Int
        let isBackground: Bool
        let watchesMigrate: Bool
        let backend: Backend
        /// Set while the lane is parked or free, and perhaps longer, but never cleared but by its
        /// holder: who pushed a job looks at it, and only then at the lease. Whoever sets it
        /// (sequentially consistent) looks at the inbox once more.
        let isSleeping = Atomic<Bool>(true)
        let pool: Unmanaged<Pool>
        let kernel: Unmanaged<Kernel>
        let timers = LaneTimers()
        let completions: UnsafeMutableBufferPointer<Completion>
        let owned: UnsafeMutablePointer<Owned>
        /// When the parked worker wakes by itself (CLOCK_MONOTONIC). Written before the lease says
        /// `parked`; read by those who add a timer and then find it parked.
        let parkedUntil = Atomic<UInt64>(0)
        /// Requests for the lane's kernel; not to be stolen.
        let requests = Locked<[LaneRequest]>([])
        let hasRequests = Atomic<Bool>(false)
        let padding0 = CacheLine()

        // What the holder writes all the time.
        /// See `Lease`.
        let lease = Atomic<UInt64>(Lease(.free, turn: 0).word)
        /// Jobs in the run queue, for others to see. Written by the lease's holder (relaxed): a
        /// hint that decides on visits, never on correctness.
        let waiting = Atomic<Int>(0)
        /// Watches that are out, likewise.
        let watchesOut = Atomic<Int>(0)
        /// File operations that are out, likewise.
        let operationsOut = Atomic<Int>(0)
        /// Whether the kernel has not been handed all that was asked of it, likewise.
        let hasUnsubmitted = Atomic<Bool>(false)
        /// A job that the worker runs next, without a turn of the lane in between. Filled (from
        /// nil, releasing) only when nothing else waits, so that order is kept; emptied by
        /// exchange (acquiring), by the worker or by whoever serves the lane in its place.
        let next = Atomic<JobPointer?>(nil)
        let padding1 = CacheLine()

        // What those who push write.
        let inbox = JobInbox()
        let padding2 = CacheLine()
    }

    /// Keeps what different threads write apart.
    private struct CacheLine {
        let words: (UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64) =
            (0, 0, 0, 0, 0, 0, 0, 0)
    }

    /// What only the lease's holder touches.
    struct Owned {
        var runQueue = RunQueue()
        /// Made when the first stream begins.
        var chunks: UnsafeMutablePointer<ChunkPool>?
        var turnsSincePoll = 0
        /// When the kernel was last asked, in ticks.
        var lastLook: UInt64 = 0
    }

    init(index: Int, pool: Unmanaged<Pool>, kernel: Kernel) {
        let owned = UnsafeMutablePointer<Owned>.allocate(capacity: 1)
        owned.initialize(to: Owned())
        storage = .allocate(capacity: 1)
        storage.initialize(
            to: Storage(
                index: index, isBackground: pool.takeUnretainedValue().isBackground,
                watchesMigrate: kernel.watchesMigrate, backend: kernel.backend, pool: pool,
                kernel: .passRetained(kernel),
                completions: .allocate(capacity: Lane.completionBatch), owned: owned))
    }

    /// Completions that are taken from the kernel at once.
    static let completionBatch = 32

    var owned: UnsafeMutablePointer<Owned> {
        @inline(__always) get { storage.pointee.owned }
    }

    var index: Int { storage.pointee.index }
    /// See `Kernel.bindsStreams`.
    var bindsStreams: Bool { withKernel { $0.bindsStreams } }
    /// See `Kernel.watchesMigrate`.
    var watchesMigrate: Bool { storage.pointee.watchesMigrate }
    var isBackground: Bool { storage.pointee.isBackground }
    var pool: Pool { storage.pointee.pool.takeUnretainedValue() }
    /// The kernel's side of the lane, which lives as long as the lane.
    @inline(__always)
    func withKernel<Result>(_ body: (Kernel) -> Result) -> Result {
        storage.pointee.kernel._withUnsafeGuaranteedRef(body)
    }

    var timers: LaneTimers {
        @inline(__always) get { storage.pointee.timers }
    }

    // MARK: lease

    @inline(__always)
    var lease: Lease { Lease(word: storage.pointee.lease.load(ordering: .sequentiallyConsistent)) }

    @inline(__always)
    func isHeld(by context: Context) -> Bool {
        context.pointee.lease != 0
            && storage.pointee.lease.load(ordering: .relaxed) == context.pointee.lease
    }

    @inline(__always)
    func exchangeLease(_ expected: Lease, for desired: Lease) -> Bool {
        storage.pointee.lease.compareExchange(
            expected: expected.word, desired: desired.word, ordering: .sequentiallyConsistent
        ).exchanged
    }

    @inline(__always)
    func setLease(_ lease: Lease) {
        storage.pointee.lease.store(lease.word, ordering: .releasing)
    }

    /// Like `setLease`, and nothing that follows is looked at before it.
    func announceLease(_ lease: Lease) {
        _ = storage.pointee.lease.exchange(lease.word, ordering: .sequentiallyConsistent)
    }

    // MARK: giving the lane something to do, from any thread

    @inline(__always)
    func push(_ job: JobPointer, from context: Context) {
        if isHeld(by: context) {
            if waiting == 0, storage.pointee.inbox.isEmpty,
                storage.pointee.next.compareExchange(
                    expected: nil, desired: job, ordering: .sequentiallyConsistent
                ).exchanged
            {
                if !isHeld(by: context) { wakeIfSleeping() }
                return
            }
            _ = storage.pointee.inbox.push(job)
            if isHeld(by: context) { return }
        } else {
            _ = storage.pointee.inbox.push(job)
        }
        wakeIfSleeping()
    }

    func push(_ jobs: consuming JobChain, from context: Context) {
        storage.pointee.inbox.push(jobs)
        wakeIfSleeping()
    }

    @inline(__always)
    private func wakeIfSleeping() {
        if storage.pointee.isSleeping.load(ordering: .sequentiallyConsistent) { wakeIfIdle() }
    }

    func setSleeping(_ isSleeping: Bool) {
        storage.pointee.isSleeping.store(isSleeping, ordering: .sequentiallyConsistent)
    }

    func request(_ request: LaneRequest, from context: Context) {
        storage.pointee.requests.withLock { $0.append(request) }
        storage.pointee.hasRequests.store(true, ordering: .sequentiallyConsistent)
        wakeIfSleeping()
    }

    /// Wakes the parked worker, or calls one to a lane that nobody holds.
    func wakeIfIdle() {
        while true {
            let lease = self.lease
            switch lease.phase {
            case .parked:
                if exchangeLease(lease, for: lease.with(.woken)) {
                    withKernel { $0.wake() }
                    let context = Context.current
                    if context.pointee.worker == nil { context.pointee.spin.noteWoken() }
                    return
                }
            case .free:
                let called = lease.with(.called)
                if exchangeLease(lease, for: called) {
                    pool.call(to: self, expecting: called)
                    return
                }
            case .called, .lane, .user, .visited, .woken:
                return
            }
        }
    }

    /// Whether a timer that was added has to wake the lane: it would sleep past `latest`.
    func mustWake(for latest: UInt64) -> Bool {
        switch lease.phase {
        case .free:
            true
        case .parked:
            latest < storage.pointee.parkedUntil.load(ordering: .sequentiallyConsistent)
        case .called, .lane, .user, .visited, .woken:
            false
        }
    }

    /// Work was added from the lane's own user code: perhaps another lane should come for it.
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
    var hasNews: Bool {
        !inboxIsEmpty || hasCompletions || hasRequests
    }

    /// Whether the kernel has completions, or would after an enter. Any thread may ask.
    @inline(__always)
    var hasCompletions: Bool { withKernel { $0.hasCompletions || $0.needsEnter } }

    /// Whether only a system call tells if what is watched has happened.
    var mustAskKernel: Bool {
        watchesOut > 0 && withKernel { $0.mustBeAsked }
    }

    /// Jobs in the run queue.
    var waiting: Int { storage.pointee.waiting.load(ordering: .relaxed) }

    var operationsOut: Int { storage.pointee.operationsOut.load(ordering: .relaxed) }

    var watchesOut: Int { storage.pointee.watchesOut.load(ordering: .relaxed) }

    /// Whether something waits for a worker that is stuck in user code.
    func hasWork(now: UInt64) -> Bool {
        if waiting > 0 || !inboxIsEmpty { return true }
        if storage.pointee.hasRequests.load(ordering: .relaxed) { return true }
        if storage.pointee.hasUnsubmitted.load(ordering: .relaxed) { return true }
        if timers.earliest <= now { return true }
        if hasCompletions { return true }
        // Nothing to look at from here: serve it to find out.
        return mustAskKernel
    }

    /// Whether somebody should serve it: something waits, or may come.
    func isNeeded(now: UInt64) -> Bool {
        watchesOut > 0 || operationsOut > 0 || timers.earliest != .max || hasWork(now: now)
    }

    // MARK: under the lease

    /// Everything that was pushed, oldest first.
    @inline(__always)
    func takeInbox() -> JobPointer? {
        let next = takeNext()
        let rest = storage.pointee.inbox.takeAll()
        next?.pointee.next = rest
        return next ?? rest
    }

    /// The job that is to run next. In user code, too.
    @inline(__always)
    func takeNext() -> JobPointer? {
        guard storage.pointee.next.load(ordering: .relaxed) != nil else { return nil }
        return storage.pointee.next.exchange(nil, ordering: .acquiring)
    }

    func takeRequests() -> [LaneRequest]? {
        guard storage.pointee.hasRequests.load(ordering: .relaxed) else { return nil }
        storage.pointee.hasRequests.store(false, ordering: .sequentiallyConsistent)
        return storage.pointee.requests.withLock { requests in
            defer { requests = [] }
            return requests
        }
    }

    var hasRequests: Bool { storage.pointee.hasRequests.load(ordering: .sequentiallyConsistent) }

    @inline(__always)
    func enqueue(all jobs: JobPointer?) {
        guard jobs != nil else { return }
        owned.pointee.runQueue.append(all: jobs)
        storage.pointee.waiting.store(owned.pointee.runQueue.count, ordering: .relaxed)
    }

    @inline(__always)
    func enqueue(_ job: JobPointer) {
        owned.pointee.runQueue.append(job)
        storage.pointee.waiting.store(owned.pointee.runQueue.count, ordering: .relaxed)
    }

    @inline(__always)
    func nextJob() -> JobPointer? {
        guard let job = owned.pointee.runQueue.popFirst() else { return nil }
        storage.pointee.waiting.store(owned.pointee.runQueue.count, ordering: .relaxed)
        return job
    }

    /// The later half of the run queue, for a visitor.
    func giveHalf() -> [JobPointer] {
        let jobs = owned.pointee.runQueue.splitHalf()
        storage.pointee.waiting.store(owned.pointee.runQueue.count, ordering: .relaxed)
        return jobs
    }

    /// Takes completions out of the kernel, at most `completionBatch` of them.
    @inline(__always)
    func takeCompletions() -> UnsafeMutableBufferPointer<Completion>.SubSequence {
        let buffer = storage.pointee.completions
        return buffer[..<withKernel { $0.reap(into: buffer) }]
    }

    /// Whether `takeCompletions` would find some.
    @inline(__always)
    var canTakeCompletions: Bool { withKernel { $0.canReap } }

    /// Whether the kernel has to be entered for something else than a wait.
    var mustEnter: Bool { withKernel { $0.hasUnsubmitted || $0.needsEnter } }

    /// No watch is out on the descriptor any more; it may be closed soon.
    func release(descriptor: Int32) {
        withKernel { $0.release(descriptor: descriptor) }
    }

    @inline(__always)
    func watch(descriptor: Int32, events: UInt32, token: UInt64) {
        noteWatchBegun()
        noteUnsubmitted()
        withKernel { $0.watch(descriptor: descriptor, events: events, token: token) }
    }

    /// Whether the kernel carries out reads and writes of files by itself.
    var carriesOutRequests: Bool { withKernel { $0.carriesOutRequests } }

    func start(_ request: FileRequest, token: UInt64) {
        storage.pointee.operationsOut.store(operationsOut &+ 1, ordering: .relaxed)
        noteUnsubmitted()
        withKernel { $0.start(request, token: token) }
    }

    func cancelRequest(token: UInt64) {
        noteUnsubmitted()
        withKernel { $0.cancelRequest(token: token) }
    }

    func cancelWatch(descriptor: Int32, token: UInt64) {
        noteUnsubmitted()
        withKernel { $0.cancelWatch(descriptor: descriptor, token: token) }
    }

    @inline(__always)
    func noteUnsubmitted() {
        storage.pointee.hasUnsubmitted.store(true, ordering: .relaxed)
    }

    @inline(__always)
    func noteWatchBegun() {
        storage.pointee.watchesOut.store(watchesOut &+ 1, ordering: .relaxed)
    }

    @inline(__always)
    func noteWatchEnded() {
        storage.pointee.watchesOut.store(watchesOut &- 1, ordering: .relaxed)
    }

    func noteOperationEnded() {
        storage.pointee.operationsOut.store(operationsOut &- 1, ordering: .relaxed)
    }

    /// Hands the kernel what was asked of it, and takes in what it has.
    func submit() {
        storage.pointee.hasUnsubmitted.store(hasStarvedStreams, ordering: .relaxed)
        withKernel { $0.submit() }
    }

    /// The same, and waits.
    func wait(timeoutNanoseconds: UInt64?) {
        storage.pointee.hasUnsubmitted.store(false, ordering: .relaxed)
        withKernel { $0.wait(timeoutNanoseconds: timeoutNanoseconds) }
    }

    /// Whether the kernel should be asked although jobs wait: every few turns.
    @inline(__always)
    func isPollDue() -> Bool {
        owned.pointee.turnsSincePoll &+= 1
        guard owned.pointee.turnsSincePoll >= Lane.turnsBetweenPolls else { return false }
        owned.pointee.turnsSincePoll = 0
        return true
    }

    func notePoll() {
        owned.pointee.turnsSincePoll = 0
        owned.pointee.lastLook = Ticks.now()
    }

    /// Whether a busy lane should enter the kernel to look for events. epoll tells again of each
    /// descriptor whose handler waits its turn, at a cost, so it is not asked often.
    func mustLook() -> Bool {
        if mustEnter { return true }
        guard mustAskKernel else { return false }
        return Ticks.now() &- owned.pointee.lastLook > Lane.ticksBetweenLooks
    }

    private static let ticksBetweenLooks = 10_000 * Ticks.perMicrosecond

    /// Jobs that run before submissions, timers and completions get their turn again.
    static let turnsBetweenPolls = 32

    var parkedUntil: UInt64 {
        get { storage.pointee.parkedUntil.load(ordering: .relaxed) }
        nonmutating set {
            storage.pointee.parkedUntil.store(newValue, ordering: .sequentiallyConsistent)
        }
    }
}
