internal import LinuxPlatform
public import RingDispatch

extension Listener {
    /// Ends the service: stops listening, drains each open connection, and aborts those that are
    /// left at the deadline.
    ///
    /// A connection drains by its drain handler (``Connection/setDrainHandler(_:)``); without one
    /// it is closed, once all that it has to send is with the kernel. A further call may shorten
    /// the deadline, and not extend it.
    ///
    /// - Parameter completion: called on the listener's queue, once all connections are closed and
    ///   their close handlers have run, and a second after the deadline at the latest.
    public func shutdown(
        deadline: DispatchTime, completion: @escaping (ShutdownReport) -> Void = { _ in }
    ) {
        onQueue { listener in
            if listener.ending == nil { listener.beginShutdown() }
            listener.ending?.completions.append(completion)
            listener.limitShutdown(to: deadline)
            listener.finishShutdown()
        }
    }

    /// Ends the service, and waits for that. The task's cancellation changes nothing.
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
                // Before the connection reports that it is closed.
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

    /// A connection is closed, and the shutdown has begun.
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
