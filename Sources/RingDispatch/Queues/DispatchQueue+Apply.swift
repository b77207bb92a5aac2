internal import LinuxPlatform
internal import Synchronization

extension DispatchQueue {
    /// Runs `work` for each index below `iterations`, in parallel on the CPUs, and returns when all
    /// are done. The calling thread takes part, so the call progresses even if all workers are
    /// busy. `dispatch_apply`.
    public static func concurrentPerform(iterations: Int, execute work: (Int) -> Void) {
        guard iterations > 0 else {
            if iterations < 0 {
                fatalMisuse("concurrentPerform with a negative number of iterations: \(iterations)")
            }
            return
        }
        let context = Context.current
        // A second thread even with one loop, and in a nested call: an iteration may wait for
        // another one.
        let helpers = min(max(Runtime.shared.configuration.loops, 2), iterations) - 1
        withoutActuallyEscaping(work) { work in
            let loop = ApplyLoop(iterations: iterations, work: work)
            let priority = context.pointee.frame?.pointee.queue._withUnsafeGuaranteedRef {
                $0.priority
            }
            let queue = GlobalQueues.queue(priority: priority ?? Priority.default)
            for _ in 0..<helpers { queue.submit { loop.help() } }
            // All iterations belong to that queue, whichever thread runs them.
            queue.sync { loop.runAndWait(context) }
            loop.forgetWork()
        }
    }
}

/// The iterations of one `concurrentPerform`. Threads claim one at a time, so iterations that wait
/// for each other meet as long as there are threads.
private final class ApplyLoop: Sendable {
    // Safety: only threads with a claim call `work`; it is cleared after the last claim is done.
    private let iterations: Int
    private nonisolated(unsafe) var work: ((Int) -> Void)?
    /// The first unclaimed iteration. Relaxed: it only hands out indices.
    private let next = Atomic<Int>(0)
    /// Completed iterations. The last add (releasing) pairs with the wait's load (acquiring).
    private let done = Atomic<Int>(0)
    private let finished = Locked<ThreadHandle?>(nil)

    init(iterations: Int, work: @escaping (Int) -> Void) {
        self.iterations = iterations
        self.work = work
    }

    func help() {
        let claimed = run()
        guard claimed > 0 else { return }
        let before = done.wrappingAdd(claimed, ordering: .acquiringAndReleasing).oldValue
        guard before + claimed == iterations else { return }
        finished.withLock { $0.take() }?.grant()
    }

    func runAndWait(_ context: Context) {
        let claimed = run()
        let before = done.wrappingAdd(claimed, ordering: .acquiringAndReleasing).oldValue
        if before + claimed == iterations { return }
        if context.pointee.spin.spin(until: { done.load(ordering: .acquiring) == iterations }) {
            return
        }
        let threadHandle = context.pointee.threadHandle
        let mustWait = finished.withLock { waiter -> Bool in
            guard done.load(ordering: .acquiring) < iterations else { return false }
            waiter = threadHandle
            return true
        }
        if mustWait { _ = Blocking.sleep(context) }
    }

    /// The closure is valid only during the call; helpers that start later claim nothing.
    func forgetWork() { work = nil }

    /// Claims and runs iterations until none is left. Returns their number.
    private func run() -> Int {
        var ran = 0
        while true {
            let index = next.wrappingAdd(1, ordering: .relaxed).oldValue
            guard index < iterations, let work else { return ran }
            work(index)
            ran += 1
        }
    }
}
