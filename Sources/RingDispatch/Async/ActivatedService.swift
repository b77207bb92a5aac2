#if ServiceLifecycle
internal import ServiceLifecycle

/// The service of an object that is activated and ended: runs until a graceful shutdown, or until
/// the task is cancelled.
package struct ActivatedService: Service {
    private let activate: @Sendable () -> Void
    private let end: @Sendable (_ isGraceful: Bool) async -> Void

    package init(
        activate: @escaping @Sendable () -> Void,
        end: @escaping @Sendable (_ isGraceful: Bool) async -> Void
    ) {
        self.activate = activate
        self.end = end
    }

    package func run() async throws {
        activate()
        do {
            try await gracefulShutdown()
        } catch {
            await end(false)
            throw error
        }
        await end(true)
    }
}
#endif
