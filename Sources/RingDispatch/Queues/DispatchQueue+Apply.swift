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
            let loop = ApplyLoop(
                iterations: iterations, caller: context.pointee.threadHandle, work: work)
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
    /// Iterations that are not done, and 1 until the caller waits. Each thread sees what was done
    /// before it (acquiring and releasing). The one that reaches 0 ends the caller's wait.
    private let left: Atomic<Int>
    private let caller: ThreadHandle

    init(iterations: Int, caller: ThreadHandle, work: @escaping (Int) -> Void) {
        self.iterations = iterations
        self.caller = caller
        self.work = work
        left = Atomic(iterations &+ 1)
    }

    func help() {
        let ran = run()
        if ran > 0 && isEnd(after: ran) { caller.grant() }
    }

    func runAndWait(_ context: Context) {
        if !isEnd(after: run() &+ 1) { _ = Blocking.wait(context) }
    }

    private func isEnd(after count: Int) -> Bool {
        left.wrappingSubtract(count, ordering: .acquiringAndReleasing).newValue == 0
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
