#if ServiceLifecycle
internal import RingDispatch
public import ServiceLifecycle

extension FileTreeWatcher {
    /// The watcher as a service of ServiceLifecycle. Set the handlers first: running the service
    /// activates it. A graceful shutdown, or cancelling the task, cancels the watcher.
    public func service() -> some Service {
        ActivatedService(activate: activate) { [self] _ in cancel() }
    }
}
#endif
