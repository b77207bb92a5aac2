#if ServiceLifecycle
public import ServiceLifecycle

extension FileTreeWatcher {
    /// The watcher as a service of ServiceLifecycle. Set the handlers first: running the service
    /// activates it. A graceful shutdown, or cancelling the task, cancels the watcher.
    public func service() -> some Service { WatcherService(watcher: self) }
}

/// Runs until a graceful shutdown, or until the task is cancelled.
private struct WatcherService: Service {
    let watcher: FileTreeWatcher

    func run() async throws {
        watcher.activate()
        defer { watcher.cancel() }
        try await gracefulShutdown()
    }
}
#endif
