internal import Ring
internal import Synchronization

/// Waits that can never end, found before they begin.
enum Deadlock {
    /// Traps when the thread holds the queue, or one that has to be drained for it.
    static func trapIfOwned(_ queue: DispatchQueue, _ context: Context) {
        var next: DispatchQueue? = queue
        while let candidate = next {
            let state = QueueState(candidate.state.load(ordering: .relaxed))
            if state.owner == context.pointee.identifier {
                trap(queue, owned: candidate)
            }
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

    /// Traps when the queue's owner waits, over any number of others, for this thread.
    static func trapIfCycle(_ queue: DispatchQueue, _ context: Context) {
        // Looked at twice: what changes between two steps could look like a cycle that never was.
        guard let first = cycle(from: queue, context), let second = cycle(from: queue, context),
            first == second
        else { return }
        fatalMisuse(
            "deadlock: sync on queue '\(queue.label)' closes a cycle of waiting queues: "
                + first.map { "'\($0)'" }.joined(separator: " waits for "))
    }

    /// Longest cycle that is looked for.
    private static let limit = 64

    private static func cycle(from queue: DispatchQueue, _ context: Context) -> [String]? {
        var labels: [String] = []
        var next = Unmanaged.passUnretained(queue)
        for _ in 0..<limit {
            let (label, owner) = next._withUnsafeGuaranteedRef { queue in
                (queue.label, QueueState(queue.state.load(ordering: .acquiring)).owner)
            }
            labels.append(label)
            if owner == 0 { return nil }
            // The first one: the wait has ended already.
            if owner == context.pointee.identifier { return labels.count > 1 ? labels : nil }
            let address = ThreadRegistry.queueAwaited(by: owner)
            guard let memory = UnsafeRawPointer(bitPattern: address) else { return nil }
            // Safety: the queue is held by the thread that waits in its `sync`, and that thread
            // cannot go on while the queue's owner waits as well; if it does not, the second look
            // says so before the address is used for anything but these two reads.
            next = Unmanaged<DispatchQueue>.fromOpaque(memory)
        }
        return nil
    }
}
