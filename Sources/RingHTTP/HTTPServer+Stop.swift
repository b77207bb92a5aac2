#if FlyingFox
public import FlyingFox
internal import LinuxPlatform
internal import RingDispatch

extension HTTPServer {
    /// Runs the server until a signal or ``stop(on:drainTime:)`` stops it, and returns when the
    /// stop is complete. FlyingFox's `run()` throws an error then.
    ///
    /// ```swift
    /// try await server.run(on: pool, stoppingOn: SIGTERM, SIGINT)
    /// ```
    /// - Parameters:
    ///   - pool: the server's pool.
    ///   - signals: the first delivery stops the server. Their default actions are replaced while
    ///     it runs.
    ///   - drainTime: how long requests may take after a signal; see ``stop(on:drainTime:)``.
    /// - Throws: what FlyingFox's `run()` throws if the server was not stopped.
    public func run(
        on pool: RingSocketPool, stoppingOn signals: Int32...,
        drainTime: Duration = .seconds(10)
    ) async throws {
        let deliveries = DispatchSource.signals(signals)
        let stopping = Task {
            for await _ in deliveries {
                return await stopOnceListening(on: pool, drainTime: drainTime)
            }
        }
        defer { stopping.cancel() }
        do {
            try await run()
        } catch {
            // A server that is stopped ends with an error.
            if !pool.isEndingAccepting { throw error }
        }
    }

    /// A stop before the server listens would have no effect.
    func stopOnceListening(on pool: RingSocketPool, drainTime: Duration) async {
        // If `run` fails, this wait ends by itself.
        try? await waitUntilListening()
        await stop(on: pool, drainTime: drainTime)
    }

    /// Stops a server that runs on this pool, and returns when its connections are done: idle ones
    /// end at once, and requests in flight are answered. New clients are refused. Open WebSockets
    /// and event streams take the whole time: end them before. A stop before the server listens has
    /// no effect: wait for `waitUntilListening()` first.
    /// - Parameters:
    ///   - pool: the server's pool. One that no server has run on ends the process: each `.ring` is
    ///     a new pool.
    ///   - drainTime: connections that take longer are cancelled then. 0 or less: no time.
    public func stop(on pool: RingSocketPool, drainTime: Duration) async {
        // A server prepares its pool before it listens.
        if listeningAddress != nil, !pool.wasPrepared {
            fatalMisuse(
                "an HTTP server is to stop on a RingSocketPool that it does not use: keep the pool "
                    + "in a constant, and pass that to the server, too; each `.ring` is a new pool")
        }
        // FlyingFox converts seconds to nanoseconds, as an integer. 30 years.
        let timeout = min(1e9, drainTime / .seconds(1))
        // If FlyingFox closed the socket before it calls accept(2), it would cancel all requests.
        // A second at most, in case that clients never stop connecting.
        pool.endAccepting()
        let latest = ContinuousClock.now + .seconds(1)
        while !pool.hasEndedAccepting, listeningAddress != nil, ContinuousClock.now < latest {
            await Task.yield()
        }
        // `stop` ends only connections whose tasks have begun: those of the last clients do so.
        for _ in 0..<100 { await Task.yield() }
        // The first `await` of `stop` comes after the close of the listening socket.
        async let stopped: Void = stop(timeout: timeout)
        while listeningAddress != nil { await Task.yield() }
        pool.endWaitsOfClosedSockets()
        await stopped
    }
}
#endif
