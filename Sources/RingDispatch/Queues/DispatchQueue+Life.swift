internal import Synchronization

extension DispatchQueue {
    /// Applies `change` to the state word atomically; nil if `change` returns false.
    @inline(__always)
    @discardableResult
    final func update(_ change: (inout QueueState) -> Bool) -> (old: QueueState, new: QueueState)? {
        var old = QueueState(state.load(ordering: .relaxed))
        while true {
            var new = old
            guard change(&new) else { return nil }
            let (exchanged, original) = state.weakCompareExchange(
                expected: old.word, desired: new.word, ordering: .acquiringAndReleasing)
            if exchanged { return (old, new) }
            old = QueueState(original)
        }
    }

    /// Applies `change` to the state word atomically.
    @inline(__always)
    @discardableResult
    final func change(_ change: (inout QueueState) -> Void) -> (old: QueueState, new: QueueState) {
        let result = update { state in
            change(&state)
            return true
        }
        guard let result else { fatalError("unreachable: no change is refused") }
        return result
    }

    /// Enqueues a resumed or activated queue if it has items that no thread will drain.
    final func enqueueIfDirty() {
        let result = update { state in
            guard state.isDirty, !state.isStopped, !state.isAttended else { return false }
            state.clear(QueueState.dirty)
            state.set(QueueState.enqueued)
            return true
        }
        if result != nil { enqueueSelf(priority: priority, Context.current) }
    }

    /// Whether `queue` is this queue or one of its targets.
    final func targets(_ queue: DispatchQueue) -> Bool {
        var next: DispatchQueue? = self
        while let candidate = next {
            if candidate === queue { return true }
            next = candidate.target
        }
        return queue.kind == .global && globalRoot == queue.priority
    }
}
