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
final class Pair: @unchecked Sendable {
    // Safety: mutable state belongs to the queue of both connections.
    private let client: Connection
    private let upstream: Upstream
    private var pending: PendingConnection?
    private var server: Connection?
    /// The directions whose end was passed on.
    private var endedDirections = 0
    private var isDraining = false
    private var timer: DispatchScheduledItem?
    /// Bytes that had moved in both directions at the last tick, and the ticks since they moved.
    private var movedBytes: UInt64 = 0
    private var quietTicks = 0
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
            pending?.cancel()
            timer?.cancel()
            server?.end(reason)
        }
        client.setDrainHandler { [self] _ in
            isDraining = true
            closeWhenQuiet(for: Pair.drainTimeout)
        }
        pending = upstream.connector.connect(
            to: upstream.endpoint, on: client.placement
        ) { [self] result in
            pending = nil
            guard client.state == .active else { return }
            switch result {
            case .success(let server):
                connected(server)
            case .failure(let error):
                writeErrorLine("Proxy: \(oneLine(error))")
                client.abort()
            }
        }
    }

    private func connected(_ server: Connection) {
        self.server = server
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
            endedDirections += 1
            if endedDirections == 2 { close() }
        }
    }

    /// Closes the server's connection once all is sent, and then the client's.
    private func close() { (server ?? client).close() }

    // MARK: time-outs

    /// Ends the pair once no byte has moved for a while.
    private func closeWhenQuiet(for span: TimeSpan) {
        timer?.cancel()
        let tick = DispatchTimeInterval.nanoseconds(Int(span.nanoseconds) / Pair.mostQuietTicks)
        timer = client.queue.scheduleAfter(deadline: .now() + tick) { [self] in
            let moved = client.movedBytes + (server?.movedBytes ?? 0)
            quietTicks = moved == movedBytes ? quietTicks + 1 : 0
            movedBytes = moved
            if quietTicks < Pair.mostQuietTicks { return closeWhenQuiet(for: span) }
            let hasUnsent = client.unsentBytes + (server?.unsentBytes ?? 0) > 0
            if !hasUnsent { return close() }
            // During a shutdown, its deadline ends peers that do not read.
            if isDraining { closeWhenQuiet(for: span) } else { client.abort() }
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
