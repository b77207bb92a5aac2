#if ServiceLifecycle
public import ServiceLifecycle

extension ServiceManager {
    /// A service that tells the service manager when the process is ready, and when a graceful
    /// shutdown begins. Put it last in a group, since the last service is stopped first.
    /// - Parameter whenReady: returns once the process serves its clients.
    public static func service(
        whenReady: @escaping @Sendable () async throws -> Void = {}
    ) -> some Service {
        NotifyingService(whenReady: whenReady)
    }
}

/// Runs until a graceful shutdown, or until the task is cancelled.
private struct NotifyingService: Service {
    let whenReady: @Sendable () async throws -> Void

    func run() async throws {
        try await whenReady()
        try ServiceManager.notify(.ready)
        try await gracefulShutdown()
        // An error here would make a clean shutdown a failure.
        _ = try? ServiceManager.notify(.stopping)
    }
}
#endif
