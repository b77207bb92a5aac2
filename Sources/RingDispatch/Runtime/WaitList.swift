internal import Synchronization

/// Threads that wait, in order. Part of a state that a lock guards.
struct WaitList: Sendable {
    private var threads: [ThreadHandle] = []
    private var first = 0

    mutating func append(_ threadHandle: ThreadHandle) {
        threads.append(threadHandle)
    }

    mutating func popFirst() -> ThreadHandle? {
        guard first < threads.count else { return nil }
        let threadHandle = threads[first]
        first += 1
        if first == threads.count {
            threads.removeAll(keepingCapacity: true)
            first = 0
        } else if first > 32 && first > threads.count / 2 {
            // There may always be one that waits.
            threads.removeFirst(first)
            first = 0
        }
        return threadHandle
    }

    /// Removes a thread that gave up. Returns false if it was removed already.
    mutating func remove(_ threadHandle: ThreadHandle) -> Bool {
        guard let index = threads[first...].firstIndex(of: threadHandle) else { return false }
        threads.remove(at: index)
        return true
    }
}
