#if FlyingFox
#if ServiceLifecycle
public import FlyingFox
public import ServiceLifecycle

extension HTTPServer {
    /// The server as a service of ServiceLifecycle.
    ///
    /// A graceful shutdown refuses new clients and answers the requests in flight; see
    /// ``stop(on:drainTime:)``.
    /// - Parameters:
    ///   - pool: the server's pool.
    ///   - drainTime: how long requests may take then.
    public nonisolated func service(
        on pool: RingSocketPool, drainTime: Duration = .seconds(10)
    ) -> some Service {
        HTTPService(server: self, pool: pool, drainTime: drainTime)
    }
}

/// Runs until a graceful shutdown, or until the task is cancelled.
private struct HTTPService: Service {
    let server: HTTPServer
    let pool: RingSocketPool
    let drainTime: Duration

    func run() async throws {
        try await withGracefulShutdownHandler {
            try await server.run(on: pool)
        } onGracefulShutdown: {
            Task { await server.stopOnceListening(on: pool, drainTime: drainTime) }
        }
    }
}
#endif
#endif
