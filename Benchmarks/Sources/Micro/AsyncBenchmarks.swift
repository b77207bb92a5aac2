import Glibc
import Synchronization

#if LIBDISPATCH
import Dispatch
#else
import RingDispatch
#endif

let asyncBenchmarks: [Benchmark] = [
    Benchmark("async-burst-one-thread", operations: 100_000) { operations in
        let queue = DispatchQueue(label: "async-burst")
        let counter = Cell(0)
        return elapsedNanoseconds {
            for _ in 0..<operations {
                queue.async { counter.value += 1 }
            }
            waitUntilDrained(queue)
            precondition(counter.value == operations)
        }
    },

    Benchmark("async-burst-two-threads", operations: 200_000) { operations in
        let queue = DispatchQueue(label: "async-burst")
        let counter = Cell(0)
        let start = nowNanoseconds()
        _ = elapsedOnThreads(2) { _ in
            for _ in 0..<(operations / 2) {
                queue.async { counter.value += 1 }
            }
        }
        waitUntilDrained(queue)
        let elapsed = nowNanoseconds() - start
        precondition(counter.value == operations / 2 * 2)
        return elapsed
    },

    Benchmark("async-self-chain", operations: 500_000) { operations in
        Relay(queues: 1).elapsed(hops: operations)
    },

    Benchmark("async-ping-pong", operations: 60_000) { operations in
        Relay(queues: 2).elapsed(hops: operations)
    },

    Benchmark("async-1000-queues", operations: 80_000) { operations in
        Relay(queues: 1_000).elapsed(hops: operations)
    },

    Benchmark("async-global-fan-out", operations: 100_000) { operations in
        let queue = DispatchQueue.global()
        let group = DispatchGroup()
        return elapsedNanoseconds {
            for _ in 0..<operations {
                queue.async(group: group) {}
            }
            group.wait()
        }
    },

    Benchmark("async-concurrent", operations: 100_000) { operations in
        let queue = DispatchQueue(label: "async-concurrent", attributes: .concurrent)
        return elapsedNanoseconds {
            for _ in 0..<operations {
                queue.async {}
            }
            queue.sync(flags: .barrier) {}
        }
    },

    Benchmark("async-barrier", operations: 100_000) { operations in
        let queue = DispatchQueue(label: "async-barrier", attributes: .concurrent)
        let counter = Cell(0)
        return elapsedNanoseconds {
            for _ in 0..<operations {
                queue.async(flags: .barrier) { counter.value += 1 }
            }
            queue.sync(flags: .barrier) {}
            precondition(counter.value == operations)
        }
    },

    Benchmark("async-beside-computing", operations: 2_000) { operations in
        besideComputing(operations)
    },

    Benchmark("async-and-wait", operations: 5_000) { operations in
        asyncAndWait(operations, idleMicroseconds: 0)
    },

    Benchmark("async-and-wait-after-idle", operations: 250, repetitions: 5) { operations in
        asyncAndWait(operations, idleMicroseconds: 500)
    },
]

/// Waits until all earlier blocks have run. The last block signals, so that only the queue's own
/// progress is measured.
private func waitUntilDrained(_ queue: DispatchQueue) {
    let done = DispatchSemaphore(value: 0)
    queue.async { done.signal() }
    done.wait()
}

/// A handler submits a block to an idle queue and computes on: the time until the block runs.
private func besideComputing(_ operations: Int) -> UInt64 {
    let queue = DispatchQueue(label: "computing")
    let idle = DispatchQueue(label: "idle")
    let hasRun = Atomic<Bool>(false)
    let elapsed = Atomic<UInt64>(0)
    for _ in 0..<operations {
        let done = DispatchSemaphore(value: 0)
        queue.async {
            hasRun.store(false, ordering: .relaxed)
            let nanoseconds = elapsedNanoseconds {
                idle.async { hasRun.store(true, ordering: .relaxed) }
                while !hasRun.load(ordering: .relaxed) {}
            }
            elapsed.add(nanoseconds, ordering: .relaxed)
            done.signal()
        }
        done.wait()
    }
    return elapsed.load(ordering: .relaxed)
}

/// A thread submits a block and sleeps until it has run. Idle time is not counted.
private func asyncAndWait(_ operations: Int, idleMicroseconds: UInt32) -> UInt64 {
    let queue = DispatchQueue(label: "async-and-wait")
    let done = DispatchSemaphore(value: 0)
    var elapsed: UInt64 = 0
    for _ in 0..<operations {
        if idleMicroseconds > 0 {
            usleep(idleMicroseconds)
        }
        elapsed += elapsedNanoseconds {
            queue.async { done.signal() }
            done.wait()
        }
    }
    return elapsed
}

/// A block on queue i submits the next one to queue i + 1, cyclically.
private final class Relay: @unchecked Sendable {
    private let queues: [DispatchQueue]
    private let done = DispatchSemaphore(value: 0)
    /// Only the block in flight touches it.
    private var hopsLeft = 0

    init(queues count: Int) {
        queues = (0..<count).map { DispatchQueue(label: "relay-\($0)") }
    }

    func elapsed(hops: Int) -> UInt64 {
        hopsLeft = hops
        return elapsedNanoseconds {
            queues[0].async { self.hop(from: 0) }
            done.wait()
        }
    }

    private func hop(from index: Int) {
        hopsLeft -= 1
        if hopsLeft == 0 {
            done.signal()
            return
        }
        let next = index + 1 == queues.count ? 0 : index + 1
        queues[next].async { self.hop(from: next) }
    }
}
