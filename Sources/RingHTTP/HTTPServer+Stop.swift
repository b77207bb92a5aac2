#if FlyingFox
public import FlyingFox

extension HTTPServer {
    /// Stops a server that runs on this pool, and returns when its connections are done: idle ones
    /// end at once, and requests in flight are answered. New clients are refused. Open WebSockets
    /// and event streams take the whole time: end them before.
    /// - Parameters:
    ///   - pool: the server's pool.
    ///   - seconds: connections that take longer are cancelled then. 0 or less gives them no time.
    public func stop(on pool: RingSocketPool, timeout seconds: Double) async {
        // FlyingFox converts it to nanoseconds, as an integer. 30 years; also instead of NaN.
        let timeout = min(1e9, seconds)
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
