#if Metrics
import Metrics
import MetricsTestKit
import RingNetwork
import TestSupport
import Testing

@Suite("A listener's metrics", .watchdog)
struct ListenerMetricsTests {
    @Test("Connections, bytes and messages equal the client's counts, also of short connections")
    func totals() async throws {
        let factory = TestMetrics()
        let listener = try makeEchoListener()
        let metrics = ListenerMetrics(listener, factory: factory)
        let open = Wire.connect(to: listener.port)
        #expect(open.echoes([1]))
        for size in 1...20 {
            let wire = Wire.connect(to: listener.port)
            #expect(wire.echoes([UInt8](repeating: 1, count: size)))
            wire.close()
        }
        let label = "ringnetwork_connections_open"
        repeat {
            await metrics.update()
        } while try factory.expectGauge(label).lastValue != 1
        let bytes = Int64((1...20).reduce(0, +))
        func total(_ name: String) -> Int64 { factory.counterTotal(label: "ringnetwork_\(name)") }
        #expect(total("connections_accepted_total") == 21)
        #expect(total("received_bytes_total") == bytes)
        #expect(total("sent_bytes_total") == bytes)
        #expect(total("receives_total") == 20)
        #expect(total("sends_total") == 20)
        open.close()
        repeat {
            await metrics.update()
        } while try factory.expectGauge(label).lastValue != 0
        #expect(total("received_bytes_total") == bytes + 1)
        #expect(total("connections_accepted_total") == 21)
        stop(listener)
    }
}
#endif
