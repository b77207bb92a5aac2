internal import LinuxPlatform
internal import Synchronization

/// Work that runs without holding a loop: items of queues that keep blocking (`BlockingHistory`),
/// and those that waited on a loop where one handler after the other blocked (`Pool.moveAway`).
///
/// Each handler that blocks costs its loop the time until the monitor notices, so such handlers
/// should not run there. The number of blocked workers is not limited. That of the others is: to
/// the number of CPUs, four times as many (at most 64) after each tick that finds some that block
/// and none that computes, and one more now and then while they compute.
struct AwayWork: ~Copyable {
    private let state = Locked(State())
    /// The number of work items that wait. Stored (sequentially consistent) under the lock.
    /// Store-then-check with the monitor's `isRunning`.
    private let count = Atomic<Int>(0)

    struct State {
        var workItems = RunQueue()
        /// The workers that are not known to block in their handlers.
        var serving: [Serving] = []
        /// The most workers to be in `serving`, apart from those that were called.
        var limit = Tuning.fewestAwayWorkers
        /// Workers that were called and have not arrived.
        var calls = 0

        mutating func takeCall() -> Bool {
            guard serving.count + calls < limit, calls < workItems.count else { return false }
            calls += 1
            return true
        }
    }

    struct Serving {
        let thread: UInt32
        /// When its handler began.
        let start: BlockingHistory.Start
        var usage: CPUUsage

        init(_ context: Context) {
            thread = context.pointee.identifier
            start = BlockingHistory.Start(context)
            usage = CPUUsage(start.used)
        }

        func isSameHandler(as other: Serving) -> Bool {
            thread == other.thread && start == other.start
        }
    }

    var isEmpty: Bool { waiting == 0 }

    var waiting: Int { count.load(ordering: .sequentiallyConsistent) }

    /// Adds a work item. Returns whether to call a worker for it.
    func add(_ workItem: WorkItemPointer) -> Bool {
        // A closure, for the compiler does not know that the list owns the work item from here on.
        let append = { (list: inout RunQueue) in list.append(workItem) }
        return state.withLock { state in
            append(&state.workItems)
            count.store(state.workItems.count, ordering: .sequentiallyConsistent)
            return state.takeCall()
        }
    }

    /// The next work item for a worker; nil if there is none, or if enough workers serve.
    func next(_ context: Context, isCalled: Bool) -> WorkItemPointer? {
        let serving = Serving(context)
        return state.withLock { state in
            if isCalled { state.calls -= 1 }
            let index = state.serving.firstIndex { $0.thread == serving.thread }
            let mayServe = index != nil || isCalled || state.serving.count < state.limit
            guard mayServe, let workItem = state.workItems.popFirst() else {
                if let index { state.serving.remove(at: index) }
                return nil
            }
            count.store(state.workItems.count, ordering: .sequentiallyConsistent)
            if let index { state.serving[index] = serving } else { state.serving.append(serving) }
            return workItem
        }
    }

    /// No worker is available for a call.
    func withdrawCall() { state.withLock { $0.calls -= 1 } }

    func takeAll() -> WorkItemList {
        state.withLock { state in
            count.store(0, ordering: .sequentiallyConsistent)
            return state.workItems.popAll()
        }
    }

    /// Part of the monitor's tick: stops counting the workers whose handlers block. Returns how
    /// many workers to call.
    /// - Parameter mayCompute: whether handlers that compute get one more worker.
    func tick(mayCompute: Bool) -> Int {
        var serving = state.withLock { $0.serving }
        if serving.isEmpty && isEmpty { return 0 }
        let activities = serving.indices.map {
            serving[$0].usage.activity(of: serving[$0].thread)
        }
        return state.withLock { [serving] state in
            state.serving = state.serving.compactMap { current in
                guard let index = serving.firstIndex(where: { $0.isSameHandler(as: current) })
                else { return current }
                return activities[index] == .blocks ? nil : serving[index]
            }
            if state.workItems.count == 0 {
                state.limit = Tuning.fewestAwayWorkers
            } else if activities.contains(.blocks) && !activities.contains(.computes) {
                state.limit = max(state.limit, min(state.limit * 4, Tuning.mostAwayWorkers))
            } else if !serving.isEmpty {
                let computing = state.serving.count + (mayCompute ? 1 : 0)
                state.limit = max(Tuning.fewestAwayWorkers, computing)
            }
            var calls = 0
            while state.takeCall() { calls += 1 }
            return calls
        }
    }
}
