public import RingDispatch

extension Listener {
    /// Shuts down gracefully: stops listening, drains each open connection, and aborts those still
    /// open at the deadline.
    ///
    /// A connection drains with its drain handler (``Connection/setDrainHandler(_:)``); without one
    /// it closes once the kernel has taken all sent bytes. Another call may shorten the deadline,
    /// but not extend it.
    ///
    /// - Parameters:
    ///   - deadline: connections that are still open then are reset. A past one leaves them no
    ///     time; with `.distantFuture`, nothing but their own limits ends them.
    ///   - completion: called on the listener's queue once all connections are closed and their
    ///     close handlers have run, at the latest one second after the deadline. Each call's
    ///     completion gets the report, also after the end.
    public func shutdown(
        deadline: DispatchTime, completion: sending @escaping (ShutdownReport) -> Void
    ) {
        endSetup()
        onQueue { listener in
            if listener.confined.ending == nil { listener.beginShutdown() }
            listener.confined.ending?.completions.append(completion)
            listener.limitShutdown(to: deadline)
            listener.finishShutdown()
        }
    }

    /// Shuts down, and returns when done. Cancelling the task has no effect.
    public func shutdown(deadline: DispatchTime) async -> ShutdownReport {
        await withCheckedContinuation { continuation in
            shutdown(deadline: deadline) { continuation.resume(returning: $0) }
        }
    }

    // MARK: on the queue

    private func beginShutdown() {
        confined.ending = ShutdownState()
        close { $0.finishShutdown() }
        for connection in confined.open { connection.drain() }
    }

    private func limitShutdown(to deadline: DispatchTime) {
        guard let ending = confined.ending, !ending.isPastDeadline, deadline < ending.deadline
        else { return }
        ending.timer?.cancel()
        confined.ending?.deadline = deadline
        confined.ending?.timer = queue.scheduleAfter(deadline: deadline) { [self] in abortAll() }
    }

    private func abortAll() {
        confined.ending?.isPastDeadline = true
        for connection in confined.open { abort(connection) }
        confined.ending?.timer = queue.scheduleAfter(
            deadline: .now() + .milliseconds(ShutdownState.graceMilliseconds)
        ) { [self] in
            let closing = confined.ending?.aborted.count ?? 0
            confined.ending?.report.unfinished = confined.open.count + confined.setups - closing
            confined.open = []
            confined.setups = 0
            finishShutdown()
        }
    }

    private func abort(_ connection: Connection) {
        connection.abort { [self] aborted in
            // Queued before the connection reports its close.
            queue.async { [self] in
                guard confined.open.contains(connection) else { return }
                confined.ending?.aborted.insert(ObjectIdentifier(connection))
                confined.ending?.report.aborted.append(aborted)
            }
        }
    }

    func activated(_ connection: Connection) {
        // `onQueue` would allocate a block for each new connection.
        guard isCurrent else { return hop { $0.activated(connection) } }
        if endSetupOfOne() { confined.open.insert(connection) }
        guard let ending = confined.ending else { return }
        if ending.isPastDeadline { abort(connection) } else { connection.drain() }
    }

    /// A connection was closed during the shutdown; nil: it was released before its activation.
    func noteEnded(_ connection: Connection?) {
        let aborted = connection.flatMap {
            confined.ending?.aborted.remove(ObjectIdentifier($0))
        }
        if aborted == nil { confined.ending?.report.drained += 1 }
        finishShutdown()
    }

    private func finishShutdown() {
        guard confined.phase == .closed, confined.open.isEmpty, confined.setups == 0,
            let ending = confined.ending
        else { return }
        ending.timer?.cancel()
        confined.ending?.timer = nil
        confined.ending?.completions = []
        for completion in ending.completions { completion(ending.report) }
    }
}
