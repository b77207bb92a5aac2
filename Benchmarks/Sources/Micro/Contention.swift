import CThreadPlacement
import Glibc
import Synchronization
import ThreadStarting

/// Two threads that repeat one operation, each on a CPU of its own, for as long as both do.
///
/// Without a CPU of its own the kernel likes to put two threads that wake each other on one CPU,
/// where they hardly ever meet in a critical section. And without the common end, the rest of the
/// faster thread's share would run alone, some twenty times as fast.
///
/// A thread that a library made on such a thread would be bound to its CPU, too: let the library
/// make its threads before.
final class Contention: Sendable {
    private static let batch = 16
    private static let batchesBeforeStart = 20
    /// Several of the kernel's time slices: more than one thread alone gets on a busy machine.
    private static let leastNanoseconds = 20_000_000
    private let gate = SpinGate(threads: 2)
    private let counters = [Counter(), Counter()]
    private let mustStop = Atomic<Bool>(false)
    /// Written by thread 0, read after it has ended.
    private let nanosecondsPerOperation = Atomic<Double>(0)

    private final class Counter: Sendable {
        let value = Atomic<Int>(0)
    }

    /// The time that the given number of operations, of both threads together, took. Measures on
    /// until each thread has done its part, lest a thread that lost its CPU to another process
    /// leaves a measurement without contention.
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

    /// The operations that a thread did, the unmeasured ones included. Final after `elapsed`.
    func count(_ thread: Int) -> Int {
        counters[thread].value.load(ordering: .relaxed)
    }
}
