import RingDispatch
import RingNetwork
import Testing

@Suite("Statistics of connections", .watchdog)
struct StatisticsTests {
    @Test("Bytes, receives and sends are counted, and stay readable in the close handler")
    func counts() {
        let (descriptor, wire) = Wire.pair()
        let connection = Connection(adopting: descriptor)
        let last = Outcome<ConnectionStatistics>()
        connection.setReceiveHandler { $0.send($1) }
        connection.setCloseHandler { connection, _ in last.set(connection.statistics) }
        connection.activate()
        for _ in 0..<10 { #expect(wire.echoes(patterned(100))) }
        connection.send(patterned(3_000_000))
        let now = connection.queue.sync { connection.statistics }
        #expect(now.bytesReceived == 1000)
        #expect(now.receives >= 10)
        #expect(now.sends == now.receives + 1)
        #expect(now.bytesSent < 3_001_000)
        #expect(now.unsentBytes == 3_001_000 - Int(now.bytesSent))
        #expect(wire.receive(3_000_000).count == 3_000_000)
        wire.closeOutput()
        let final = last.wait()
        #expect(final?.bytesSent == 3_001_000)
        #expect(final?.unsentBytes == 0)
    }
}
