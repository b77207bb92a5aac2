#if Metrics
public import Metrics
internal import RingDispatch

/// The counters of a ``DatagramSocket`` as metrics of swift-metrics.
///
/// Call ``update()`` before each scrape, or every few seconds, as with ``ListenerMetrics``.
public final class DatagramMetrics: Sendable {
    private let socket: DatagramSocket
    private let recorder: MetricsRecorder

    /// - Parameters:
    ///   - socket: the socket whose counters are reported.
    ///   - factory: makes the metrics; by default that of the process.
    ///   - dimensions: added to each metric, for example to tell sockets apart. Name the same
    ///     ones for all sockets: swift-prometheus ends the process otherwise.
    public init(
        _ socket: DatagramSocket, factory: any MetricsFactory = MetricsSystem.factory,
        dimensions: [(String, String)] = []
    ) {
        self.socket = socket
        recorder = MetricsRecorder(factory, dimensions)
    }

    /// Records the present counters.
    public func update() async {
        let now = await socket.result { $0.counters }
        for (name, count) in [
            ("received", now.datagramsReceived), ("sent", now.datagramsSent),
            ("truncated", now.datagramsTruncated), ("overflowed", now.datagramsOverflowed),
            ("dropped", now.datagramsDropped), ("refused", now.datagramsRefused),
            ("received_bytes", now.bytesReceived), ("sent_bytes", now.bytesSent),
        ] {
            recorder.total("ringnetwork_datagrams_\(name)_total", Int(count))
        }
    }
}
#endif
