import LinuxPlatform
import RingDispatch
import RingNetwork
import Testing

@Suite("Receive buffers that handlers hold", .watchdog)
struct HeldBufferTests {
    private static let buffer = 8192

    /// Connections of one loop whose handlers do not run until their queue is resumed.
    private final class Held {
        let queue = DispatchQueue(label: "held")
        let received = Watched(0)
        private(set) var wires: [Wire] = []
        private(set) var descriptors: [Int32] = []
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
                descriptors.append(descriptor)
            }
        }

        deinit { resume() }

        /// Every handler runs once.
        func resume() {
            if isHeld { queue.resume() }
            isHeld = false
        }
    }

    @Test("More connections than an event loop has initial buffers are received from at once")
    func newcomers() throws {
        let held = Held(140)
        for (wire, descriptor) in zip(held.wires, held.descriptors) {
            wire.send([1])
            try #require(poll { Descriptors.bytesReadable(descriptor) == 0 })
        }
        #expect(held.received.value == 0)
        held.resume()
        expectEventually(held.received) { $0 == 140 }
    }

    @Test("Handlers that hold more buffers than an event loop has block no connection")
    func allHeld() throws {
        let held = Held(240)
        let share = 8 * HeldBufferTests.buffer
        for (wire, descriptor) in zip(held.wires, held.descriptors) {
            wire.send([UInt8](repeating: 1, count: share))
            // However few buffers are left, two more are filled.
            let left = UInt(share - 2 * HeldBufferTests.buffer)
            try #require(poll { (Descriptors.bytesReadable(descriptor) ?? .max) <= left })
        }
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
