internal import LinuxPlatform

/// The workers of a pool: those that serve loops or away work, and the idle ones, which are called
/// first. From any thread.
struct Workers: ~Copyable {
    private let state = Locked(State())
    private let limit: Int
    private static let shortage = RepeatedLine()
    private static let limitReached = RepeatedLine()

    struct State {
        var idle: [Worker] = []
        /// By index, from 1 on; nil: the worker has ended.
        var all: [Worker?] = []
        var count: Int { all.count { $0 != nil } }
        /// No thread is made before this time, in nanoseconds: the last attempt has failed.
        var shortageEnd: UInt64 = 0

        mutating func add(in pool: Pool, _ assignment: Worker.Assignment?) -> Worker {
            let place = all.firstIndex { $0 == nil } ?? all.endIndex
            let worker = Worker(index: UInt64(place) + 1, pool: pool, assignment: assignment)
            if place == all.endIndex { all.append(worker) } else { all[place] = worker }
            return worker
        }

        mutating func remove(_ worker: Worker) {
            all[Int(worker.index) - 1] = nil
        }
    }

    init(limit: Int) {
        self.limit = limit
    }

    var counts: (all: Int, idle: Int) { state.withLock { ($0.count, $0.idle.count) } }

    /// Runs a body for each worker, under their lock. Their threads do not end meanwhile.
    func map<Result: Sendable>(_ body: (Worker) -> Result?) -> [Result] {
        state.withLock { state in state.all.compactMap { worker in worker.flatMap(body) } }
    }

    /// The same for the worker of an index, if it exists.
    @discardableResult
    func with<Result: Sendable>(_ index: UInt64, _ body: (Worker) -> Result?) -> Result? {
        state.withLock { state in
            guard index > 0, index <= UInt64(state.all.count) else { return nil }
            return state.all[Int(index) - 1].flatMap(body)
        }
    }

    // MARK: calling workers

    /// How many workers could be called now.
    var room: Int {
        state.withLock { state in
            let isShort = MonotonicClock.nanoseconds() < state.shortageEnd
            return state.idle.count + (isShort ? 0 : limit - state.count)
        }
    }

    /// Calls an idle worker, or makes one.
    /// - Parameter assignment: nil: to serve away work.
    /// - Returns: false if no worker is available.
    func call(for assignment: Worker.Assignment?, in pool: Pool) -> Bool {
        let (worker, isLimit) = state.withLock { take(for: assignment, in: pool, &$0) }
        guard let worker else {
            if isLimit {
                Workers.limitReached.log(
                    "all \(limit) worker threads are blocked in handlers or serve other event "
                        + "loops; work waits for the first to return (raise the limit with "
                        + "RINGDISPATCH_WORKERS)")
            }
            return false
        }
        // A new worker has no thread yet.
        guard let handle = worker.handle else { return start(worker) }
        handle.grant()
        return true
    }

    /// An idle worker, or a new one. Nil: none is to be had, perhaps because of the limit.
    private func take(
        for assignment: Worker.Assignment?, in pool: Pool, _ state: inout sending State
    ) -> (Worker?, isLimit: Bool) {
        if let idle = state.idle.popLast() {
            idle.assignment = assignment
            return (idle, false)
        }
        if state.count >= limit { return (nil, true) }
        if MonotonicClock.nanoseconds() < state.shortageEnd { return (nil, false) }
        // The pool's monitor makes this one at its next tick.
        if Workers.isCallerUnlike(monitorOf: pool) { return (nil, false) }
        return (state.add(in: pool, assignment), false)
    }

    /// Whether a thread that the caller makes would have a lower CPU priority than the pool's
    /// monitor, or other CPUs: a thread inherits both. The monitor makes the worker then.
    static func isCallerUnlike(monitorOf pool: Pool) -> Bool {
        let monitor = pool.monitor.thread
        return !pool.isBackground && Threads.hasLowerPriority(than: monitor)
            || !Threads.hasCPUs(of: monitor)
    }

    private func start(_ worker: Worker) -> Bool {
        do {
            try Threads.start { worker.run() }
            return true
        } catch {
            Workers.shortage.log("no further worker thread: \(error)")
            state.withLock { state in
                state.remove(worker)
                state.shortageEnd = MonotonicClock.nanoseconds() &+ Tuning.threadRetry
            }
            return false
        }
    }

    /// Adds a worker without a loop to the idle ones.
    func becomeIdle(_ worker: Worker) {
        state.withLock { $0.idle.append(worker) }
    }

    /// The idle wait timed out. Returns true if the worker may end: nobody called it, and enough
    /// workers remain.
    func retire(_ worker: Worker) -> Bool {
        state.withLock { state in
            guard state.count > worker.pool.loops.count + 1,
                let place = state.idle.firstIndex(where: { $0 === worker })
            else { return false }
            state.idle.remove(at: place)
            state.remove(worker)
            return true
        }
    }
}
