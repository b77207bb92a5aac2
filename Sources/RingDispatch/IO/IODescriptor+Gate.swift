internal import LinuxPlatform

// The gate: operations pass it in order. A barrier, or a path that is not open yet, holds them.
extension IODescriptor {
    func submit(_ operation: IOOperation, _ context: Context) {
        let (passes, mustOpen) = gate.withLock { _ -> (Bool, Bool) in
            if isOpen {
                active += 1
                return (true, false)
            }
            return (false, hold(.operation(operation)))
        }
        if passes { start(operation, context) }
        if mustOpen { open(context) }
    }

    func submit(_ barrier: IOBarrier, _ context: Context) {
        let mustOpen = gate.withLock { _ in hold(.barrier(barrier)) }
        if mustOpen { open(context) } else { releaseHeld(context) }
    }

    /// Under the gate's lock.
    private var isOpen: Bool {
        phase == .open && held.isEmpty && !isBarrierRunning && !isReleasing
    }

    /// Under the gate's lock. True if the caller must open the path.
    private func hold(_ new: Held) -> Bool {
        held.append(new)
        guard phase == .unopened else { return false }
        phase = .opening
        return true
    }

    private func open(_ context: Context) {
        guard let path else { return }
        OpenOperation(path, for: self).start()
    }

    /// Called when an operation has ended and its handler has returned.
    func useEnded(_ context: Context) {
        let mustRelease = gate.withLock { _ -> Bool in
            active -= 1
            return active == 0 && !held.isEmpty
        }
        if mustRelease { releaseHeld(context) }
    }

    /// Starts held entries that may now pass. `isReleasing` admits one thread at a time, to keep
    /// the order.
    func releaseHeld(_ context: Context) {
        while let next = gate.withLock({ _ in nextHeld() }) {
            switch next {
            case .operation(let operation):
                start(operation, context)
            case .barrier(let barrier):
                barrier.submit { [self] in barrierEnded(barrier) }
            }
            gate.withLock { _ in isReleasing = false }
        }
    }

    /// Under the gate's lock.
    private func nextHeld() -> Held? {
        guard phase == .open, !isBarrierRunning, !isReleasing, let first = held.first
        else { return nil }
        switch first {
        case .operation:
            active += 1
        case .barrier:
            guard active == 0 else { return nil }
            isBarrierRunning = true
        }
        held.removeFirst()
        isReleasing = true
        return first
    }

    private func barrierEnded(_ barrier: IOBarrier) {
        gate.withLock { _ in isBarrierRunning = false }
        releaseHeld(Context.current)
        barrier.channel?.barrierEnded()
    }

    func sweepHeld(_ context: Context) {
        let aborted = gate.withLock { _ -> [IOOperation] in
            var aborted: [IOOperation] = []
            held.removeAll { entry in
                guard case .operation(let operation) = entry, operation.abortCode != 0
                else { return false }
                aborted.append(operation)
                return true
            }
            active += aborted.count
            return aborted
        }
        for operation in aborted { operation.finish(operation.abortCode, context) }
    }
}
