internal import LinuxPlatform
public import RingDispatch

extension Listener {
    /// Shuts down gracefully: stops listening, drains each open connection, and aborts those still
    /// open at the deadline.
    ///
    /// A connection drains with its drain handler (``Connection/setDrainHandler(_:)``); without one
    /// it closes once the kernel has taken all sent bytes. Another call may shorten the deadline,
    /// but not extend it.
    ///
    /// - Parameter completion: called on the listener's queue once all connections are closed and
    ///   their close handlers have run, at the latest one second after the deadline.
    public func shutdown(
        deadline: DispatchTime, completion: sending @escaping (ShutdownReport) -> Void = { _ in }
    ) {
        onQueue { listener in
            if listener.ending == nil { listener.beginShutdown() }
            listener.ending?.completions.append(completion)
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
        ending = ShutdownState()
        close { $0.finishShutdown() }
        for connection in open.all { connection.drain() }
    }

    private func limitShutdown(to deadline: DispatchTime) {
        guard let ending, !ending.isDone, !ending.isPastDeadline, deadline < ending.deadline
        else { return }
        ending.timer?.cancel()
        self.ending?.deadline = deadline
        self.ending?.timer = queue.scheduleAfter(deadline: deadline) { [self] in
            guard self.ending?.deadline == deadline else { return }
            abortAll()
        }
    }

    private func abortAll() {
        guard let ending, !ending.isDone, !ending.isPastDeadline else { return }
        self.ending?.isPastDeadline = true
        for connection in open.all {
            connection.abort { [self] aborted in
                // Queued before the connection reports its close.
                queue.async { [self] in noteAborted(connection, aborted) }
            }
        }
        self.ending?.timer = queue.scheduleAfter(
            deadline: .now() + .milliseconds(ShutdownState.graceMilliseconds)
        ) { [self] in
            guard self.ending?.isDone == false else { return }
            let closing = self.ending?.aborted.count ?? 0
            self.ending?.report.unfinished = open.count - closing
            open = OpenConnections()
            finishShutdown()
        }
    }

    private func noteAborted(
        _ connection: Connection, _ aborted: ShutdownReport.AbortedConnection
    ) {
        guard open.contains(connection), ending?.isDone == false else { return }
        ending?.aborted.insert(ObjectIdentifier(connection))
        ending?.report.aborted.append(aborted)
    }

    /// A connection was closed during the shutdown.
    func noteEnded(_ connection: Connection) {
        if ending?.aborted.remove(ObjectIdentifier(connection)) == nil {
            ending?.report.drained += 1
        }
        finishShutdown()
    }

    private func finishShutdown() {
        guard phase == .closed, open.isEmpty, let ending else { return }
        ending.timer?.cancel()
        self.ending?.isDone = true
        self.ending?.timer = nil
        self.ending?.completions = []
        for completion in ending.completions { completion(ending.report) }
    }
}
