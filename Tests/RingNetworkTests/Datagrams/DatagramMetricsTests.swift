#if Metrics
import Metrics
import MetricsTestKit
import RingNetwork
import TestSupport
import Testing

@Suite("A datagram socket's metrics", .watchdog)
struct DatagramMetricsTests {
    @Test("Datagrams and bytes equal what the client sent and received, after each update")
    func totals() async throws {
        let factory = TestMetrics()
        let socket = try DatagramSocket.echo()
        let metrics = DatagramMetrics(socket, factory: factory)
        let client = PlainDatagrams()
        func total(_ name: String) -> Int64 {
            factory.counterTotal(label: "ringnetwork_datagrams_\(name)_total")
        }
        for round in 1...2 as ClosedRange<Int64> {
            for size in 1...20 {
                let datagram = [UInt8](repeating: 1, count: size)
                #expect(client.send(datagram, to: socket.port) && client.receive() == datagram)
            }
            await metrics.update()
            #expect(total("received") == 20 * round && total("sent") == 20 * round)
            #expect(total("received_bytes") == 210 * round && total("sent_bytes") == 210 * round)
            for name in ["truncated", "overflowed", "dropped", "refused"] {
                #expect(total(name) == 0, "\(name)")
            }
        }
        closeAndWait(socket)
    }
}
#endif
