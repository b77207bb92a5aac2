internal import Ring
public import RingDispatch

/// A shutdown that has begun. Belongs to the listener's queue.
struct ShutdownState {
    var report = ShutdownReport()
    var isDone = false
    var completions: [(ShutdownReport) -> Void] = []
    var deadline = DispatchTime.distantFuture
    /// Ends the wait for the connections; after the deadline, for their handlers.
    var timer: DispatchScheduledItem?
    var isPastDeadline = false
    /// Connections that were cut and are not closed yet.
    var cut: Set<ObjectIdentifier> = []

    /// How long handlers that run at the deadline may take to come back.
    static let graceMilliseconds = 1000
}

extension Listener {
    /// Ends the service: stops listening, has each open connection drain, and resets what is left
    /// at the deadline.
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

    /// From any thread.
    func setDrainHandler(_ handler: ((Connection) -> Void)?, of connection: Connection) {
        onQueue { $0.open.setDrain(handler, of: connection) }
    }

    // MARK: on the queue

    private func beginShutdown() {
        ending = ShutdownState()
        stop { $0.finishShutdown() }
        for entry in open.all { entry.connection.drain(entry.drain) }
    }

    private func limitShutdown(to deadline: DispatchTime) {
        guard let ending, !ending.isDone, !ending.isPastDeadline, deadline < ending.deadline
        else { return }
        ending.timer?.cancel()
        self.ending?.deadline = deadline
        self.ending?.timer = queue.scheduleAfter(deadline: deadline) { [self] in
            guard self.ending?.deadline == deadline else { return }
            cutAll()
        }
    }

    private func cutAll() {
        guard let ending, !ending.isDone, !ending.isPastDeadline else { return }
        self.ending?.isPastDeadline = true
        for entry in open.all {
            let connection = entry.connection
            connection.cut { [self] cut in
                // Before the connection tells that it is closed.
                queue.async { [self] in noteCut(connection, cut) }
            }
        }
        self.ending?.timer = queue.scheduleAfter(
            deadline: .now() + .milliseconds(ShutdownState.graceMilliseconds)
        ) { [self] in
            guard self.ending?.isDone == false else { return }
            let closing = self.ending?.cut.count ?? 0
            self.ending?.report.unfinished = open.count - closing
            open = OpenConnections()
            finishShutdown()
        }
    }

    private func noteCut(_ connection: Connection, _ cut: ShutdownReport.Cut) {
        guard open.contains(connection), ending?.isDone == false else { return }
        ending?.cut.insert(ObjectIdentifier(connection))
        ending?.report.cut.append(cut)
    }

    /// A connection is closed, and the shutdown has begun.
    func noteEnded(_ connection: Connection) {
        if ending?.cut.remove(ObjectIdentifier(connection)) == nil { ending?.report.drained += 1 }
        finishShutdown()
    }

    private func finishShutdown() {
        guard phase == .stopped, open.isEmpty, let ending else { return }
        ending.timer?.cancel()
        self.ending?.isDone = true
        self.ending?.timer = nil
        self.ending?.completions = []
        for completion in ending.completions { completion(ending.report) }
    }
}
