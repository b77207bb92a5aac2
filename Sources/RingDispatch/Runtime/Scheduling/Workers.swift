internal import LinuxPlatform
internal import Synchronization

/// The workers of a pool: those that serve loops or away work, and the idle ones, which are called
/// first. From any thread.
struct Workers: ~Copyable {
    private let state = Locked(State())
    private let limit: Int
    private static let shortage = RepeatedLine()
    private static let limitReached = RepeatedLine()

    struct State {
        var idle: [Worker] = []
        var count = 0
        /// By index, from 1 on; nil: the worker has ended.
        var all: [Worker?] = []
        /// No thread is made before this time, in nanoseconds: the last attempt has failed.
        var shortageEnd: UInt64 = 0

        mutating func add(in pool: Pool, _ assignment: Worker.Assignment?) -> Worker {
            count += 1
            let place = all.firstIndex { $0 == nil } ?? all.endIndex
            let worker = Worker(index: UInt64(place) + 1, pool: pool, assignment: assignment)
            if place == all.endIndex { all.append(worker) } else { all[place] = worker }
            return worker
        }

        func worker(_ index: UInt64) -> Worker? {
            index > 0 && index <= UInt64(all.count) ? all[Int(index) - 1] : nil
        }

        mutating func remove(_ worker: Worker) {
            count -= 1
            all[Int(worker.index) - 1] = nil
        }
    }

    init(limit: Int) {
        self.limit = limit
    }

    var count: Int { state.withLock { $0.count } }

    var counts: (all: Int, idle: Int) { state.withLock { ($0.count, $0.idle.count) } }

    /// Runs a body for each worker, under their lock. Their threads do not end meanwhile.
    func map<Result: Sendable>(_ body: (Worker) -> Result?) -> [Result] {
        state.withLock { state in state.all.compactMap { worker in worker.flatMap(body) } }
    }

    subscript(index: UInt64) -> Worker? { state.withLock { $0.worker(index) } }

    /// The thread of a worker.
    func thread(of index: UInt64) -> UInt32? {
        state.withLock { $0.worker(index)?.handle?.identifier }
    }

    /// The monitor sees a handler of a worker. Returns its thread.
    func observe(_ index: UInt64, now: UInt64) -> UInt32? {
        state.withLock { state in
            guard let worker = state.worker(index), let handle = worker.handle else { return nil }
            worker.observe(handle.item, now: now)
            return handle.identifier
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

    private enum Taken {
        case idle(Worker)
        case new(Worker)
        case none(isLimit: Bool)
    }

    /// Calls an idle worker, or makes one.
    /// - Parameter assignment: nil: to serve away work.
    /// - Returns: false if no worker is available.
    func call(for assignment: Worker.Assignment?, in pool: Pool) -> Bool {
        switch state.withLock({ take(for: assignment, in: pool, &$0) }) {
        case .idle(let worker):
            worker.handle?.grant()
            return true
        case .new(let worker):
            return start(worker)
        case .none(let isLimit):
            if isLimit {
                Workers.limitReached.log(
                    "all \(limit) worker threads are blocked in handlers or serve other event "
                        + "loops; work waits for the first to return (raise the limit with "
                        + "RINGDISPATCH_WORKERS)")
            }
            return false
        }
    }

    private func take(
        for assignment: Worker.Assignment?, in pool: Pool, _ state: inout sending State
    ) -> Taken {
        if let idle = state.idle.popLast() {
            idle.assignment = assignment
            return .idle(idle)
        }
        if state.count >= limit { return .none(isLimit: true) }
        if MonotonicClock.nanoseconds() < state.shortageEnd { return .none(isLimit: false) }
        // The pool's monitor makes this one at its next tick.
        if Workers.isCallerUnlike(monitorOf: pool) { return .none(isLimit: false) }
        return .new(state.add(in: pool, assignment))
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
