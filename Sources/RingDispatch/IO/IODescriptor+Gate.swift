internal import LinuxPlatform

// Operations and barriers pass the gate in order.
extension IODescriptor {
    func submit(_ operation: IOOperation, _ context: Context) {
        let (passes, mustOpen) = gate.withLock { gate in
            gate.pass() ? (true, false) : (false, gate.hold(.operation(operation)))
        }
        if passes { start(operation, context) }
        if mustOpen { open(context) }
    }

    func submit(_ barrier: IOBarrier, _ context: Context) {
        let mustOpen = gate.withLock { $0.hold(.barrier(barrier)) }
        if mustOpen { open(context) } else { releaseHeld(context) }
    }

    private func open(_ context: Context) {
        guard let path else { return }
        OpenOperation(path, for: self).start()
    }

    /// Called when an operation has ended and its handler has returned.
    func useEnded(_ context: Context) {
        if gate.withLock({ $0.operationEnded() }) { releaseHeld(context) }
    }

    /// Starts held entries that may now pass.
    func releaseHeld(_ context: Context) {
        while let next = gate.withLock({ $0.next() }) {
            switch next {
            case .operation(let operation):
                start(operation, context)
            case .barrier(let barrier):
                barrier.submit { [self] in barrierEnded(barrier) }
            }
            gate.withLock { $0.noteStarted() }
        }
    }

    private func barrierEnded(_ barrier: IOBarrier) {
        gate.withLock { $0.barrierEnded() }
        releaseHeld(Context.current)
        barrier.channel?.barrierEnded()
    }

    func sweepHeld(_ context: Context) {
        let aborted = gate.withLock { $0.removeAborted() }
        for operation in aborted { operation.finish(operation.abortCode, context) }
    }
}
