internal import Synchronization

/// Threads that wait for something, in order. Part of a state that a lock guards.
struct WaitList: @unchecked Sendable {
    // Safety: used inside the lock of what it belongs to; a thread is on it only while it waits.
    private var contexts: [Context] = []
    private var first = 0

    var isEmpty: Bool { first == contexts.count }

    mutating func append(_ context: Context) {
        contexts.append(context)
    }

    mutating func popFirst() -> Context? {
        guard first < contexts.count else { return nil }
        defer {
            first += 1
            if first == contexts.count {
                contexts.removeAll(keepingCapacity: true)
                first = 0
            }
        }
        return contexts[first]
    }

    /// Takes a thread off that gave up; false when it was let go already.
    mutating func remove(_ context: Context) -> Bool {
        guard let index = contexts[first...].firstIndex(of: context) else { return false }
        contexts.remove(at: index)
        return true
    }

    /// Everybody, oldest first.
    mutating func removeAll() -> [Context] {
        defer {
            contexts.removeAll()
            first = 0
        }
        return Array(contexts[first...])
    }
}

/// A context on its way into or out of a lock.
struct ContextReference: @unchecked Sendable {
    // Safety: the thread waits, or is the calling one.
    let context: Context
}
