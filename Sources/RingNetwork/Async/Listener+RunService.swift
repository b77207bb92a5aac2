#if ServiceLifecycle
public import RingDispatch
public import ServiceLifecycle

extension Listener {
    /// The listener as a service of ServiceLifecycle that runs `handler` for each client, in a task
    /// of its own: see ``run(_:)``.
    ///
    /// A graceful shutdown refuses new clients, ends the handlers' waits between messages, and lets
    /// the handlers finish (see ``shutdown(deadline:completion:)``). Cancelling the task resets all
    /// connections at once. The service also ends, unexpectedly for its group, once the listener
    /// is closed and the last handler has ended.
    /// - Parameters:
    ///   - drainTime: how long handlers may take. Those that take longer are cancelled, and their
    ///     connections are reset. 0 or less: at once. `.never`: without a limit.
    ///   - handler: see ``run(_:)``.
    public func service(
        drainTime: DispatchTimeInterval = .seconds(10),
        _ handler: @escaping @Sendable (AsyncConnection) async throws -> Void
    ) -> some Service {
        RunningListener(listener: self, drainTime: drainTime, handler: handler)
    }

    /// The same with the time for draining as a `Duration`.
    @_disfavoredOverload
    public func service(
        drainTime: Duration, _ handler: @escaping @Sendable (AsyncConnection) async throws -> Void
    ) -> some Service {
        service(drainTime: DispatchTimeInterval(drainTime), handler)
    }
}

/// Serves clients with tasks until a graceful shutdown, or until the task is cancelled.
private struct RunningListener: Service {
    let listener: Listener
    let drainTime: DispatchTimeInterval
    let handler: @Sendable (AsyncConnection) async throws -> Void

    func run() async throws {
        let serving = Task { await listener.run(handler) }
        await withTaskCancellationHandler {
            await withGracefulShutdownHandler {
                await serving.value
            } onGracefulShutdown: {
                let deadline = DispatchTime.now() + drainTime
                listener.shutdown(deadline: deadline) { _ in }
                // A handler may wait for something else than its connection.
                listener.queue.asyncAfter(deadline: deadline) { serving.cancel() }
            }
        } onCancel: {
            serving.cancel()
        }
        // Until the close handlers have run, too.
        _ = await listener.shutdown(deadline: .now() + drainTime)
        try Task.checkCancellation()
    }
}
#endif
