#if ServiceLifecycle
public import RingDispatch
public import ServiceLifecycle

extension Listener {
    /// The listener as a service of ServiceLifecycle. Set the handlers first: running the service
    /// activates it.
    ///
    /// A graceful shutdown refuses new clients and drains the open connections (see
    /// ``shutdown(deadline:completion:)``); cancelling the task gives them no time for it.
    /// - Parameter drainTime: how long connections may take.
    public func service(drainTime: DispatchTimeInterval = .seconds(10)) -> some Service {
        ListenerService(listener: self, drainTime: drainTime)
    }
}

/// Runs until a graceful shutdown, or until the task is cancelled.
private struct ListenerService: Service {
    let listener: Listener
    let drainTime: DispatchTimeInterval

    func run() async throws {
        listener.activate()
        do {
            try await gracefulShutdown()
        } catch {
            _ = await listener.shutdown(deadline: .now())
            throw error
        }
        _ = await withTaskCancellationHandler {
            await listener.shutdown(deadline: .now() + drainTime)
        } onCancel: {
            listener.shutdown(deadline: .now())
        }
    }
}
#endif
