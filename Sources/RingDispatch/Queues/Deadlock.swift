internal import LinuxPlatform
internal import Synchronization

/// Waits that can never end, found before they begin.
enum Deadlock {
    /// Traps when the thread holds the queue, or one that has to be drained for it.
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

    /// Whether the queue is among those the thread runs on.
    static func isOn(_ queue: DispatchQueue, _ context: Context) -> Bool {
        var frame = context.pointee.frame
        while let current = frame {
            let isHit = current.pointee.queue._withUnsafeGuaranteedRef { $0.targets(queue) }
            if isHit { return true }
            frame = current.pointee.parent
        }
        return false
    }

    #if DEBUG
    /// One queue of a chain of waits, and the thread that held it when it was looked at.
    private struct Link: Equatable {
        let queue: ObjectIdentifier
        let label: String
        let owner: UInt32
    }

    /// Longest cycle that is looked for.
    private static let limit = 64

    /// Whose `sync` each thread waits in: queues that their waiters keep alive.
    private static let awaited = Locked<[UInt32: Unmanaged<DispatchQueue>]>([:])

    /// Notes the queue that the thread is about to wait for, or that it does so no more.
    static func setAwaited(_ queue: DispatchQueue?, _ context: Context) {
        let identifier = context.pointee.identifier
        awaited.withLock { $0[identifier] = queue.map(Unmanaged.passUnretained) }
    }

    /// Traps when the queue's owner waits, over any number of others, for this thread.
    ///
    /// One look cannot tell: a thread that is seen to hold a queue may have left it before it
    /// is seen to wait. The wait for this thread lasts, though, so that the last link is
    /// certain after one look, and one more link with each look that finds the same threads.
    static func trapIfCycle(_ queue: DispatchQueue, _ context: Context) {
        guard let links = cycle(from: queue, context) else { return }
        for _ in links where cycle(from: queue, context) != links { return }
        fatalMisuse(
            "deadlock: sync on queue '\(queue.label)' closes a cycle of waiting queues: "
                + links.map { "'\($0.label)'" }.joined(separator: " waits for "))
    }

    private static func cycle(from queue: DispatchQueue, _ context: Context) -> [Link]? {
        var links = [link(queue)]
        while let owner = links.last?.owner, owner != 0, links.count < limit {
            // The first one: the wait has ended already.
            if owner == context.pointee.identifier { return links.count > 1 ? links : nil }
            // Safety: a thread's queue is on the list while the thread is inside a `sync` of
            // it, and comes off, under the lock, before that returns: it is alive.
            let next = awaited.withLock { $0[owner]?._withUnsafeGuaranteedRef { link($0) } }
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
    #endif
}
