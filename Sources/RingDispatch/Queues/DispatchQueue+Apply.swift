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
        let loops = Runtime.configuration.loops
        let helpers = min(loops, iterations) - 1
        // A nested call runs serially: the outer one occupies all CPUs.
        guard helpers > 0, !context.pointee.isApplying else {
            for index in 0..<iterations { work(index) }
            return
        }
        withoutActuallyEscaping(work) { work in
            let loop = ApplyLoop(iterations: iterations, threads: helpers + 1, work: work)
            let priority = context.pointee.frame?.pointee.queue._withUnsafeGuaranteedRef {
                $0.priority
            }
            for _ in 0..<helpers {
                let queue = GlobalQueues.queue(priority: priority ?? Priority.default)
                queue.submit { loop.help() }
            }
            loop.runAndWait(context)
            loop.forgetWork()
        }
    }
}

/// The iterations of one `concurrentPerform`. Threads claim runs of them, shorter towards the end.
private final class ApplyLoop: @unchecked Sendable {
    // Safety: only threads with a claim call `work`; it is cleared after the last claim is done.
    private let iterations: Int
    private let threads: Int
    private var work: ((Int) -> Void)?
    /// The first unclaimed iteration. Relaxed: it only hands out indices.
    private let next = Atomic<Int>(0)
    /// Completed iterations. The last add (releasing) pairs with the wait's load (acquiring).
    private let done = Atomic<Int>(0)
    private let finished = Locked<ThreadHandle?>(nil)

    init(iterations: Int, threads: Int, work: @escaping (Int) -> Void) {
        self.iterations = iterations
        self.threads = threads
        self.work = work
    }

    func help() {
        let context = Context.current
        let claimed = run(context)
        guard claimed > 0 else { return }
        let before = done.wrappingAdd(claimed, ordering: .acquiringAndReleasing).oldValue
        guard before + claimed == iterations else { return }
        let waiter = finished.withLock { waiter in
            defer { waiter = nil }
            return waiter
        }
        waiter?.grant()
    }

    func runAndWait(_ context: Context) {
        let claimed = run(context)
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
        if mustWait { _ = Blocking.wait(context) }
    }

    /// The closure is valid only during the call; helpers that start later claim nothing.
    func forgetWork() { work = nil }

    private func run(_ indices: Range<Int>) {
        guard let work else { return }
        for index in indices { work(index) }
    }

    /// Claims and runs iterations until none is left. Returns their number.
    private func run(_ context: Context) -> Int {
        context.pointee.isApplying = true
        defer { context.pointee.isApplying = false }
        var ran = 0
        var start = next.load(ordering: .relaxed)
        while start < iterations {
            let length = max(1, (iterations - start) / (4 * threads))
            let (exchanged, original) = next.weakCompareExchange(
                expected: start, desired: start + length, ordering: .relaxed)
            guard exchanged else {
                start = original
                continue
            }
            run(start..<(start + length))
            ran += length
            start = next.load(ordering: .relaxed)
        }
        return ran
    }
}
