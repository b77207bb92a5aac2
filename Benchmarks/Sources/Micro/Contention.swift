import CThreadPlacement
import Glibc
import Synchronization
import ThreadStarting

/// Two threads that repeat one operation, each bound to a CPU of its own, until both have done
/// enough.
///
/// Unbound threads that wake each other tend to share a CPU, where they rarely meet in a critical
/// section. And if each thread had a fixed count, the slower one would finish alone, about twenty
/// times as fast.
///
/// Threads that the library starts from these threads would inherit their CPU: let the library
/// start its threads before.
final class Contention: Sendable {
    private static let batch = 16
    private static let batchesBeforeStart = 20
    /// Several time slices of the kernel, so that no thread can run alone for the whole time.
    private static let leastNanoseconds = 20_000_000
    private let gate = SpinGate(threads: 2)
    private let counters = [Counter(), Counter()]
    private let mustStop = Atomic<Bool>(false)
    /// Stored by thread 0, loaded after it has ended.
    private let nanosecondsPerOperation = Atomic<Double>(0)

    private final class Counter: Sendable {
        let value = Atomic<Int>(0)
    }

    /// The time for the given number of operations of both threads together. Measures until each
    /// thread has done its part, so that a thread that loses its CPU to another process cannot
    /// leave a measurement without contention.
    func elapsed(
        operations: Int, _ body: @escaping @Sendable (_ thread: Int, _ index: Int) -> Void
    ) -> UInt64 {
        let threads = (0..<2).map { thread in
            startThread {
                benchmark_bind_to_allowed_cpu(Int32(thread))
                self.gate.pass()
                self.repeatOperation(thread, operations, body)
            }
        }
        for thread in threads {
            pthread_join(thread, nil)
        }
        return UInt64(nanosecondsPerOperation.load(ordering: .relaxed) * Double(operations))
    }

    private func repeatOperation(
        _ thread: Int, _ operations: Int, _ body: (_ thread: Int, _ index: Int) -> Void
    ) {
        var start: (nanoseconds: UInt64, counts: (Int, Int))?
        var index = 0
        while !mustStop.load(ordering: .relaxed) {
            for _ in 0..<Self.batch {
                body(thread, index)
                index += 1
            }
            counters[thread].value.store(index, ordering: .relaxed)
            guard thread == 0 else { continue }
            if let start {
                let done = (count(0) - start.counts.0, count(1) - start.counts.1)
                let elapsed = nowNanoseconds() - start.nanoseconds
                if elapsed >= Self.leastNanoseconds, done.0 + done.1 >= operations,
                    min(done.0, done.1) >= operations / 4
                {
                    nanosecondsPerOperation.store(
                        Double(elapsed) / Double(done.0 + done.1), ordering: .relaxed)
                    mustStop.store(true, ordering: .relaxed)
                }
            } else if min(count(0), count(1)) >= Self.batch * Self.batchesBeforeStart {
                start = (nowNanoseconds(), (count(0), count(1)))
            }
        }
    }

    /// The operations of a thread, including unmeasured ones. Final after `elapsed`.
    func count(_ thread: Int) -> Int {
        counters[thread].value.load(ordering: .relaxed)
    }
}
