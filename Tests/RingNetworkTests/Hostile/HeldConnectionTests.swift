import RingDispatch
import RingNetwork
import Testing

@Suite("Connections whose handlers do not run", .watchdog)
struct HeldConnectionTests {
    /// Connections of one loop whose handlers do not run until their queue is resumed.
    private final class Held {
        let queue = DispatchQueue(label: "held")
        let received = Watched(0)
        private(set) var wires: [Wire] = []
        private var isHeld = true

        init(_ count: Int) {
            queue.suspend()
            for _ in 0..<count {
                let (descriptor, wire) = Wire.pair()
                let connection = Connection(
                    adopting: descriptor,
                    on: ConnectionPlacement(queue: queue, loopNumber: 0),
                    options: ConnectionOptions())
                connection.setReceiveHandler { [received] _, bytes in
                    received.update { $0 += bytes.byteCount }
                }
                connection.activate()
                wires.append(wire)
            }
        }

        deinit { resume() }

        /// Every handler runs once.
        func resume() {
            if isHeld { queue.resume() }
            isHeld = false
        }
    }

    @Test("Connections whose handlers do not run block no other one of their event loop")
    func allHeld() throws {
        let held = Held(240)
        let share = 65_536
        for wire in held.wires { wire.send([UInt8](repeating: 1, count: share)) }
        let (descriptor, wire) = Wire.pair()
        let echo = Connection(
            adopting: descriptor,
            on: ConnectionPlacement(queue: DispatchQueue(label: "free"), loopNumber: 0),
            options: ConnectionOptions())
        echo.setReceiveHandler { connection, bytes in connection.send(bytes) }
        echo.activate()
        for round in 0..<100 {
            try #require(wire.echoes(patterned(64, seed: round)))
        }
        #expect(held.received.value == 0)
        held.resume()
        expectEventually(held.received) { $0 == 240 * share }
    }
}
