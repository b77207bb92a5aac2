internal import LinuxPlatform
internal import RingDispatch

extension Listener {
    /// Activates the listener, and runs `handler` for each client, in a task of its own on the
    /// connection's queue. Returns when the listener is closed or shut down, or this task is
    /// cancelled, and the last handler has ended.
    ///
    /// A handler that returns closes its connection in order. One that throws resets it, and
    /// nothing else: catch the error in the handler to report it. A shutdown
    /// (``shutdown(deadline:completion:)``) ends the handlers' waits between messages, and resets
    /// the connections of those that are not done at the deadline. Cancelling the task closes the
    /// listener and resets all connections at once.
    ///
    /// Do not set a connection handler or call `activate`. On an active listener, `run` ends the
    /// process; on a closed one it returns at once.
    public func run(
        _ handler: @escaping @Sendable (AsyncConnection) async throws -> Void
    ) async {
        await withTaskExecutorPreference(QueueExecutor(queue)) { await serve(handler) }
    }

    private func serve(
        _ handler: @escaping @Sendable (AsyncConnection) async throws -> Void
    ) async {
        if confined.phase == .closed { return }
        guard confined.phase == .setup else {
            fatalMisuse("run of listener '\(queue.label)', which was activated before")
        }
        // Filled and emptied on the queue. The connection limit applies to it.
        let arrivals = Mailbox<[AsyncConnection]>()
        confined.handlers.connection = { connection in
            let client = AsyncConnection(connection)
            client.activate()
            arrivals.post { $0 = ($0 ?? []) + [client] }
        }
        confined.handlers.endRun = { arrivals.finish() }
        let tasks = ClientTasks()
        activate()
        await withTaskCancellationHandler {
            while let clients = await arrivals.nextUninterrupted() {
                for client in clients {
                    tasks.begin(on: client.executor) {
                        // Its errors concern only this connection.
                        try? await client.run(isolation: nil, handler)
                    }
                }
            }
            await tasks.end()
        } onCancel: {
            // First, so that a wait ends with CancellationError, not with the abort.
            tasks.cancel()
            self.close()
            onQueue { for connection in $0.confined.open { connection.abort() } }
        }
    }
}
