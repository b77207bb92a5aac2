#if Metrics
public import Metrics
internal import RingDispatch

/// The counters of a ``Listener`` and of its connections as metrics of swift-metrics.
///
/// swift-metrics has no way to ask for values, so call ``update()`` before each scrape, or every
/// few seconds. Connections that come and go in between are counted; bytes and messages count when
/// their connection is closed.
public final class ListenerMetrics: Sendable {
    private let listener: Listener
    private let recorder: MetricsRecorder

    /// - Parameters:
    ///   - listener: the listener whose counters are reported.
    ///   - factory: makes the metrics; by default that of the process.
    ///   - dimensions: added to each metric, for example to tell listeners apart. Name the same
    ///     ones for all listeners: swift-prometheus ends the process otherwise.
    public init(
        _ listener: Listener, factory: any MetricsFactory = MetricsSystem.factory,
        dimensions: [(String, String)] = []
    ) {
        self.listener = listener
        recorder = MetricsRecorder(factory, dimensions)
    }

    /// Records the present counters.
    public func update() async {
        let now = await listener.result { $0.counters }
        recorder.value("ringnetwork_connections_open", now.accepted - now.closed)
        recorder.value("ringnetwork_connections_waiting", now.waiting)
        recorder.total("ringnetwork_connections_accepted_total", now.accepted)
        recorder.total("ringnetwork_connections_refused_total", now.refusedPerPeer)
        recorder.total("ringnetwork_connections_turned_away_total", now.turnedAway)
        recorder.total("ringnetwork_received_bytes_total", Int(now.bytesReceived))
        recorder.total("ringnetwork_receives_total", Int(now.receives))
        recorder.total("ringnetwork_sent_bytes_total", Int(now.bytesSent))
        recorder.total("ringnetwork_sends_total", Int(now.sends))
        recorder.total("ringnetwork_accept_errors_total", now.passingErrors)
        recorder.total(
            "ringnetwork_accept_pauses_total",
            now.pausesForLimit + now.pausesForRate + now.pausesForShortage)
    }
}
#endif
