import RingDispatch
import RingNetwork
import SampleSupport

/// The responses to `/metrics` and `/healthz`.
struct Metrics: Sendable {
    let ledger: Ledger

    func answer(_ path: String) -> HTTPResponse {
        switch path {
        case "/metrics": return page.response
        case "/healthz":
            // This proves that an event loop runs, and that no listener hangs.
            for listener in ledger.listeners { listener.queue.sync {} }
            return HTTPResponse(.ok, "ok\n")
        default: return HTTPResponse(.notFound)
        }
    }

    private var page: MetricsPage {
        let totals = ledger.totals
        let udp = totals.datagrams
        let runtime = DispatchRuntime.snapshot()
        var page = MetricsPage()
        page.counter("echo_connections_total", "Connections accepted.", totals.connections)
        page.gauge("echo_connections_open", "Open connections.", totals.open)
        page.counter(
            "echo_connections_closed_total", "Connections closed, by cause.",
            label: "end",
            [
                ("orderly", totals.ends.orderly), ("late", totals.ends.late),
                ("failed", totals.ends.failed),
            ])
        page.counter(
            "echo_messages_total", "Receives with data, and datagrams; of TLS, handshakes too.",
            label: "transport",
            [("stream", totals.traffic.messages), ("datagram", udp.messages)])
        page.counter(
            "echo_received_bytes_total", "Bytes received; of TLS, encrypted.", label: "transport",
            [("stream", totals.traffic.bytes), ("datagram", udp.bytes)])
        page.add(runtime)
        page.gauge("ringdispatch_sources", "Event sources.", runtime.sources)
        return page
    }
}
