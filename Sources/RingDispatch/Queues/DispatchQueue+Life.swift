internal import LinuxPlatform
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

    /// The main queue and the global ones are always active, and keep their targets.
    private final var isMadeByProgram: Bool { kind == .serial || kind == .concurrent }

    final func activateOnce() {
        guard isMadeByProgram else { return }
        let result = update { state in
            guard state.isInactive else { return false }
            state.clear(QueueState.inactive)
            return true
        }
        if result != nil { enqueueIfDirty() }
    }

    final func suspendOnce() {
        guard isMadeByProgram else { return }
        change { state in
            guard state.suspends < QueueState.maximumSuspends else {
                fatalMisuse("queue '\(label)' was suspended \(state.suspends) times without resume")
            }
            state.word += QueueState.oneSuspend
        }
    }

    final func resumeOnce() {
        guard isMadeByProgram else { return }
        let result = change { state in
            guard state.suspends > 0 else {
                fatalMisuse(
                    "over-resume of queue '\(label)': "
                        + (state.isInactive
                            ? "it is inactive, and was never suspended; call activate()"
                            : "resume() without a suspend()"))
            }
            state.word -= QueueState.oneSuspend
        }
        if !result.new.isStopped { enqueueIfDirty() }
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

    final func setTargetBeforeUse(_ queue: DispatchQueue?) {
        guard isMadeByProgram else { return }
        if let queue, queue === self || queue.targets(self) {
            fatalMisuse("queue '\(label)' cannot be its own target")
        }
        guard QueueState(state.load(ordering: .acquiring)).isInactive else {
            fatalMisuse(
                "cannot change the target of queue '\(label)' after it was activated; "
                    + "create it with .initiallyInactive, or pass target: to its initializer")
        }
        // The queues that target it have taken over what follows from its target.
        if isTarget.load(ordering: .relaxed) {
            fatalMisuse(
                "cannot change the target of queue '\(label)': it is a target itself; "
                    + "set its own target first")
        }
        attach(to: queue)
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
