import RingDispatch
import RingNetwork
import SampleSupport

/// What clients are connected to.
struct Upstream: Sendable {
    let endpoint: Endpoint
    let connector: Connector
    let idleTimeout: TimeSpan?
}

/// A client's connection and the one to the server, on one queue and one event loop: what one
/// receives, the other sends in the same call. Their handlers keep the pair alive.
final class Pair: Sendable {
    private let client: Connection
    private let upstream: Upstream
    /// The compiler does not know that the handlers of both connections run on one queue, so there
    /// is a lock. No handler waits for it, and received bytes do not need it.
    private let state = Locked(State())

    private struct State {
        var pending: PendingConnection?
        var server: Connection?
        /// The directions whose end was passed on.
        var endedDirections = 0
        var isDraining = false
        var timer: DispatchScheduledItem?
        /// Bytes that had moved in both directions at the last tick, and the ticks since they
        /// moved.
        var movedBytes: UInt64 = 0
        var quietTicks = 0
    }

    private static let failures = RepeatedErrorLine()
    /// A time-out is over after this many quiet ticks.
    private static let mostQuietTicks = 4
    /// After SIGTERM, a pair that transfers nothing for this long has finished.
    private static let drainTimeout = TimeSpan(seconds: 1)

    init(_ client: Connection, _ upstream: Upstream) {
        self.client = client
        self.upstream = upstream
    }

    // MARK: on the queue

    func begin() {
        guard client.state == .active else { return }
        client.setCloseHandler { [self] _, reason in
            let state = state.withLock { $0 }
            state.pending?.cancel()
            state.timer?.cancel()
            state.server?.end(reason)
        }
        client.setDrainHandler { [self] _ in
            state.withLock { $0.isDraining = true }
            closeWhenQuiet(for: Pair.drainTimeout)
        }
        let pending = upstream.connector.connect(
            to: upstream.endpoint, on: client.placement
        ) { [self] result in
            state.withLock { $0.pending = nil }
            guard client.state == .active else { return }
            switch result {
            case .success(let server):
                connected(server)
            case .failure(let error):
                Pair.failures.write("Proxy: \(oneLine(error))")
                client.abort()
            }
        }
        state.withLock { $0.pending = pending }
    }

    private func connected(_ server: Connection) {
        let isDraining = state.withLock { state in
            state.server = server
            return state.isDraining
        }
        forward(from: client, to: server)
        forward(from: server, to: client)
        server.setCloseHandler { [client] _, reason in client.end(reason) }
        server.activate()
        if !isDraining, let timeout = upstream.idleTimeout { closeWhenQuiet(for: timeout) }
    }

    private func forward(from source: Connection, to sink: Connection) {
        source.setReceiveHandler { source, bytes in
            sink.send(bytes)
            guard !sink.isWritable else { return }
            source.pauseReceiving()
            sink.setWritableHandler { sink in
                // Bytes that leave in a batch can make the sink unwritable without a pause.
                sink.setWritableHandler(nil)
                source.resumeReceiving()
            }
        }
        source.setEndHandler { [self] _ in
            sink.closeOutput()
            let endedDirections = state.withLock { state in
                state.endedDirections += 1
                return state.endedDirections
            }
            if endedDirections == 2 { close() }
        }
    }

    /// Closes the server's connection once all is sent, and then the client's.
    private func close() { (state.withLock { $0.server } ?? client).close() }

    // MARK: time-outs

    /// Ends the pair once no byte has moved for a while.
    private func closeWhenQuiet(for span: TimeSpan) {
        let tick = DispatchTimeInterval.nanoseconds(Int(span.nanoseconds) / Pair.mostQuietTicks)
        let timer = client.queue.scheduleAfter(deadline: .now() + tick) { [self] in
            let state = state.withLock { state in
                let moved = client.movedBytes + (state.server?.movedBytes ?? 0)
                state.quietTicks = moved == state.movedBytes ? state.quietTicks + 1 : 0
                state.movedBytes = moved
                return state
            }
            if state.quietTicks < Pair.mostQuietTicks { return closeWhenQuiet(for: span) }
            let hasUnsent = client.unsentBytes + (state.server?.unsentBytes ?? 0) > 0
            if !hasUnsent { return close() }
            // During a shutdown, its deadline ends peers that do not read.
            if state.isDraining { closeWhenQuiet(for: span) } else { client.abort() }
        }
        state.withLock { state in
            state.timer?.cancel()
            state.timer = timer
        }
    }
}

extension Connection {
    fileprivate var movedBytes: UInt64 { statistics.bytesReceived + statistics.bytesSent }

    /// Ends as the other connection of the pair has ended.
    fileprivate func end(_ reason: CloseReason) {
        switch reason {
        case .closed, .ended: close()
        default: abort()
        }
    }
}
