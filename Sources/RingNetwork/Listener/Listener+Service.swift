#if ServiceLifecycle
public import RingDispatch
public import ServiceLifecycle

extension Listener {
    /// The listener as a service of ServiceLifecycle. Set the handlers first: running the service
    /// activates it.
    ///
    /// A graceful shutdown refuses new clients and drains the open connections (see
    /// ``shutdown(deadline:completion:)``); cancelling the task gives them no time for it.
    /// - Parameter drainTime: how long connections may take. 0 or less: they are reset at once.
    ///   `.never`: without a limit.
    public func service(drainTime: DispatchTimeInterval = .seconds(10)) -> some Service {
        ActivatedService(activate: activate) { [self] isGraceful in
            _ = await withTaskCancellationHandler {
                await shutdown(deadline: isGraceful ? .now() + drainTime : .now())
            } onCancel: {
                shutdown(deadline: .now()) { _ in }
            }
        }
    }

    /// The listener as a service, with the time for draining as a `Duration`.
    @_disfavoredOverload
    public func service(drainTime: Duration) -> some Service {
        service(drainTime: DispatchTimeInterval(drainTime))
    }
}
#endif
