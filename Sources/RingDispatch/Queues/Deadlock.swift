internal import LinuxPlatform
internal import Synchronization

/// Detects waits that can never end: for the own queue before they begin, and cycles soon after.
enum Deadlock {
    /// Traps if the thread holds the queue or one of its targets.
    static func trapIfOwned(_ queue: DispatchQueue, _ context: Context) {
        var next: DispatchQueue? = queue
        while let candidate = next {
            if candidate.isHeld(by: context) { trap(queue, owned: candidate) }
            next = candidate.target
        }
    }

    static func trap(_ queue: DispatchQueue, owned: DispatchQueue? = nil) -> Never {
        let owned = owned ?? queue
        let reason =
            owned === queue
            ? "the calling thread is on that queue already"
            : "the calling thread is on its target queue '\(owned.label)'"
        fatalMisuse("deadlock: sync on queue '\(queue.label)' would wait for itself: \(reason)")
    }

    /// Whether the thread runs on the queue or on one that targets it.
    static func isOn(_ queue: DispatchQueue, _ context: Context) -> Bool {
        var frame = context.pointee.frame
        while let current = frame {
            let isHit = current.pointee.queue._withUnsafeGuaranteedRef { $0.targets(queue) }
            if isHit { return true }
            frame = current.pointee.parent
        }
        return false
    }

    // MARK: cycles

    /// How long a thread waits in `sync` before it scans for a cycle. Shorter waits cost nothing.
    private static let patienceNanoseconds: UInt64 = 100_000_000
    /// Between two scans.
    private static let scanNanoseconds: UInt64 = 1_000_000

    /// A queue in a chain of waits, and its owner at the time of the scan.
    private struct Link: Equatable {
        let queue: ObjectIdentifier
        let label: String
        let owner: UInt32
    }

    /// The longest cycle that is detected.
    private static let limit = 64

    /// A thread that has waited in `sync` for some time, and the queue that it keeps alive.
    private struct Wait {
        let thread: ThreadHandle
        let queue: Unmanaged<DispatchQueue>
    }

    /// By thread identifier. The last thread of a cycle to get here sees all the others.
    private static let waits = Locked<[UInt32: Wait]>([:])

    /// Waits for the calling thread's grant, which comes from the queue. Traps if it can never
    /// come.
    static func wait(for queue: DispatchQueue, _ context: Context) {
        let deadline = MonotonicClock.nanoseconds() + patienceNanoseconds
        if Blocking.wait(context, deadline: deadline) { return }
        let thread = context.pointee.threadHandle
        let wait = Wait(thread: thread, queue: .passUnretained(queue))
        waits.withLock { $0[thread.identifier] = wait }
        if !trapIfCycle(queue, context) { _ = thread.park() }
        waits.withLock { $0[thread.identifier] = nil }
    }

    /// Traps if the queue's owner waits, directly or through other threads, for this thread.
    ///
    /// One scan proves nothing: a thread seen as owner may have left the queue before it was seen
    /// waiting. But the wait for this thread lasts, so the first scan proves the last link, and
    /// each further scan with the same result proves one more. Between them, a thread that has just
    /// got its grant has time to clear its entry.
    /// - Returns: whether the thread's grant has come meanwhile.
    private static func trapIfCycle(_ queue: DispatchQueue, _ context: Context) -> Bool {
        guard let links = cycle(from: queue, context) else { return false }
        for _ in links {
            let deadline = MonotonicClock.nanoseconds() + scanNanoseconds
            if context.pointee.threadHandle.park(deadline: deadline) { return true }
            if cycle(from: queue, context) != links { return false }
        }
        fatalMisuse(
            "deadlock: sync on queue '\(queue.label)' closes a cycle of waiting queues: "
                + links.map { "'\($0.label)'" }.joined(separator: " waits for "))
    }

    private static func cycle(from queue: DispatchQueue, _ context: Context) -> [Link]? {
        var links = [link(queue)]
        while let owner = links.last?.owner, owner != 0, links.count < limit {
            // A single link: the owner's wait has already ended.
            if owner == context.pointee.identifier { return links.count > 1 ? links : nil }
            // Safety: thread and queue are alive, because a thread clears its entry under the lock
            // before `sync` returns. One that has its grant waits no more, though it may not run
            // yet.
            let next = waits.withLock { waits -> Link? in
                guard let wait = waits[owner], !wait.thread.hasGrant else { return nil }
                return wait.queue._withUnsafeGuaranteedRef { link($0) }
            }
            guard let next else { return nil }
            links.append(next)
        }
        return nil
    }

    private static func link(_ queue: DispatchQueue) -> Link {
        Link(
            queue: ObjectIdentifier(queue), label: queue.label,
            owner: QueueState(queue.state.load(ordering: .acquiring)).owner)
    }
}
