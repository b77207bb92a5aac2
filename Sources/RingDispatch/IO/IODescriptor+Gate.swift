internal import LinuxPlatform

// Operations and barriers pass the gate in order.
extension IODescriptor {
    func submit(_ entry: Held) {
        switch entry {
        case .operation(let operation):
            let (passes, mustOpen) = gate.withLock { gate in
                gate.pass() ? (true, false) : (false, gate.hold(entry))
            }
            if passes { start(operation) }
            if mustOpen { open() }
            // A sweep for the abort may have run before the gate held the operation.
            if !passes && operation.isAborted { sweepHeld() }
        case .barrier:
            // It may move the descriptor's position, or wait while the file grows.
            touch()
            if gate.withLock({ $0.hold(entry) }) { open() } else { releaseHeld() }
        }
    }

    /// Whether nothing has begun to open the path.
    var isUnopened: Bool { gate.withLock { $0.phase == .unopened } }

    /// Ends the channels of a path that cannot be opened, unless the opening shows that.
    func checkPath() {
        guard isUnopened, let error = path?.findError(), error != 0 else { return }
        failChannels(error)
    }

    private func open() {
        guard let path else { return }
        // The descriptor is not retired before the kernel has opened it, or has refused to.
        _ = join()
        let request = path.request
        if let result = FileOperation.attempt(request) {
            opened(result)
        } else {
            OpenOperation(request, for: self).start(isTried: true)
        }
    }

    /// Called when an operation has ended and its handler has returned.
    func useEnded() {
        if gate.withLock({ $0.operationEnded() }) { releaseHeld() }
    }

    /// Starts held entries that may now pass.
    func releaseHeld() {
        while let next = gate.withLock({ $0.next() }) {
            switch next {
            case .operation(let operation):
                start(operation)
            case .barrier(let barrier):
                barrier.queue.submit { [self] in run(barrier) }
            }
            gate.withLock { $0.noteStarted() }
        }
    }

    private func run(_ barrier: IOBarrier) {
        barrier.block.call()
        gate.withLock { $0.barrierEnded() }
        releaseHeld()
        barrier.channel.endUse()
    }

    func sweepHeld() {
        let aborted = gate.withLock { $0.removeAborted() }
        for operation in aborted { operation.finish(operation.abortCode) }
    }
}
