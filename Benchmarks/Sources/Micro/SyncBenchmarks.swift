#if LIBDISPATCH
import Dispatch
#else
import RingDispatch
#endif

let syncBenchmarks: [Benchmark] = [
    Benchmark("sync-idle", operations: 1_000_000) { operations in
        let queue = DispatchQueue(label: "sync-idle")
        let counter = Cell(0)
        let elapsed = elapsedNanoseconds {
            for _ in 0..<operations {
                queue.sync { counter.value += 1 }
            }
        }
        precondition(counter.value == operations)
        return elapsed
    },

    Benchmark("sync-contended", operations: 20_000) { operations in
        let queue = startedQueue(label: "sync-contended")
        let counter = Cell(0)
        let contention = Contention()
        let elapsed = contention.elapsed(operations: operations) { _, _ in
            queue.sync { counter.value += 1 }
        }
        precondition(counter.value == contention.count(0) + contention.count(1))
        return elapsed
    },

    // On each of two threads: nine readers, then one writer.
    Benchmark("sync-readers-writer", operations: 20_000) { operations in
        let queue = startedQueue(label: "sync-readers-writer", attributes: .concurrent)
        let written = Cell(0)
        let seen = [Cell(0), Cell(0)]
        let contention = Contention()
        let elapsed = contention.elapsed(operations: operations) { thread, index in
            if index % 10 == 9 {
                queue.sync(flags: .barrier) { written.value += 1 }
            } else {
                queue.sync { seen[thread].value = written.value }
            }
        }
        precondition(written.value == contention.count(0) / 10 + contention.count(1) / 10)
        return elapsed
    },
]

/// A queue that has already run a block, so that the library's threads exist, and none starts on a
/// thread that is bound to one CPU.
private func startedQueue(
    label: String, attributes: DispatchQueue.Attributes = []
) -> DispatchQueue {
    let queue = DispatchQueue(label: label, attributes: attributes)
    let started = DispatchSemaphore(value: 0)
    queue.async { started.signal() }
    started.wait()
    return queue
}
