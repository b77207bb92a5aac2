#if LIBDISPATCH
import Dispatch

/// libdispatch has no such queue on Linux.
final class DispatchSerialQueue: SerialExecutor {
    private let queue: DispatchQueue

    init(label: String) {
        queue = DispatchQueue(label: label)
    }

    func enqueue(_ workItem: consuming ExecutorJob) {
        let workItem = UnownedJob(workItem)
        queue.async { [self] in workItem.runSynchronously(on: asUnownedSerialExecutor()) }
    }
}
#else
import RingDispatch
#endif

/// An actor on a serial queue.
actor QueueActor {
    private let queue = DispatchSerialQueue(label: "actor")
    private var calls = 0

    nonisolated var unownedExecutor: UnownedSerialExecutor { queue.asUnownedSerialExecutor() }

    func call() { calls += 1 }
}

actor DefaultActor {
    private var calls = 0

    func call() { calls += 1 }
}

@MainActor private var calls = 0

@MainActor func callMainActor() { calls += 1 }

/// The nanoseconds of one call.
func each(_ count: Int, _ body: () async -> Void) async -> Double {
    let start = ContinuousClock.now
    for _ in 0..<count { await body() }
    return nanoseconds(since: start) / Double(count)
}

func group(of count: Int) async {
    await withTaskGroup(of: Void.self) { group in
        for _ in 0..<count { group.addTask {} }
    }
}

/// The microseconds of sleeps of 10 ms, sorted.
func sleeps() async -> [Double] {
    var microseconds: [Double] = []
    for _ in 0..<50 {
        let start = ContinuousClock.now
        try? await Task.sleep(for: .milliseconds(10))
        microseconds.append(nanoseconds(since: start) / 1_000)
    }
    return microseconds.sorted()
}

func nanoseconds(since start: ContinuousClock.Instant) -> Double {
    (ContinuousClock.now - start) / .nanoseconds(1)
}
