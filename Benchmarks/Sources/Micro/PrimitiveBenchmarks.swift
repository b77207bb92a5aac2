#if LIBDISPATCH
import Dispatch
#else
import RingDispatch
#endif

let primitiveBenchmarks: [Benchmark] = [
    Benchmark("group-enter-leave", operations: 3_000_000) { operations in
        let group = DispatchGroup()
        return elapsedNanoseconds {
            for _ in 0..<operations {
                group.enter()
                group.leave()
            }
        }
    },

    Benchmark("queue-create-destroy", operations: 500_000) { operations in
        elapsedNanoseconds {
            for _ in 0..<operations {
                _ = DispatchQueue(label: "queue-create-destroy")
            }
        }
    },

    // The body reads a value unknown to the optimizer, and writes nothing shared.
    Benchmark("concurrent-perform", operations: 8_000_000) { operations in
        let limit = Cell(operations)
        return elapsedNanoseconds {
            DispatchQueue.concurrentPerform(iterations: operations) { index in
                precondition(index < limit.value)
            }
        }
    },

    Benchmark("semaphore-uncontended", operations: 5_000_000) { operations in
        let semaphore = DispatchSemaphore(value: 0)
        return elapsedNanoseconds {
            for _ in 0..<operations {
                semaphore.signal()
                semaphore.wait()
            }
        }
    },
]
