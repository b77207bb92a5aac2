import Glibc
import Synchronization
import ThreadStarting

/// Runs `body` on `count` new threads. Returns the nanoseconds from the moment when all of them run
/// in parallel until the last one ends.
func elapsedOnThreads(_ count: Int, _ body: @escaping @Sendable (_ thread: Int) -> Void) -> UInt64 {
    let gate = SpinGate(threads: count)
    let threads = (0..<count).map { index in
        startThread {
            gate.pass()
            body(index)
        }
    }
    for thread in threads {
        pthread_join(thread, nil)
    }
    return nowNanoseconds() - gate.openedNanoseconds
}

/// Opens once all threads run in parallel.
///
/// New threads often start on their creator's CPU, one after the other, and a short benchmark would
/// end before the kernel spreads them. Therefore the threads meet many times in a row without
/// yielding: threads on one CPU do not get through until the kernel has moved them.
final class SpinGate: Sendable {
    private static let meetings = 200
    private let threads: Int
    private let arrivals = Atomic<Int>(0)
    private let opened = Atomic<UInt64>(0)

    init(threads: Int) {
        self.threads = threads
    }

    var openedNanoseconds: UInt64 {
        opened.load(ordering: .acquiring)
    }

    func pass() {
        for meeting in 1...Self.meetings {
            let arrived = arrivals.add(1, ordering: .acquiringAndReleasing).newValue
            if arrived == threads * Self.meetings {
                opened.store(nowNanoseconds(), ordering: .releasing)
            }
            while arrivals.load(ordering: .acquiring) < threads * meeting {}
        }
        while opened.load(ordering: .acquiring) == 0 {}
    }
}
