#if ServiceLifecycle
internal import LinuxPlatform
public import ServiceLifecycle

extension ServiceManager {
    /// A service that tells the service manager when the process is ready, and when a graceful
    /// shutdown begins. Put it last in a group, since the last service is stopped first.
    /// A failed notification is a line in the log.
    /// - Parameter whenReady: returns once the process serves its clients. A graceful shutdown
    ///   cancels it, and the process is then never reported as ready.
    public static func service(
        whenReady: @escaping @Sendable () async throws -> Void = {}
    ) -> some Service {
        NotifyingService(whenReady: whenReady)
    }
}

/// Runs until a graceful shutdown, or until the task is cancelled.
private struct NotifyingService: Service {
    let whenReady: @Sendable () async throws -> Void

    /// A manager that cannot be reached does not end a server that works.
    private func notify(_ state: ServiceManager.State) {
        do {
            try ServiceManager.notify(state)
        } catch {
            Diagnostics.log("\(error)")
        }
    }

    func run() async throws {
        do {
            try await cancelWhenGracefulShutdown { try await whenReady() }
        } catch {
            if !Task.isShuttingDownGracefully { throw error }
        }
        try Task.checkCancellation()
        if !Task.isShuttingDownGracefully { notify(.ready) }
        try await gracefulShutdown()
        notify(.stopping)
    }
}
#endif
