import Glibc
import Ring
import RingDispatch
import RingNetwork
import Testing

@Suite("Receive buffers that handlers hold", .watchdog)
struct HeldBufferTests {
    /// All of them are given out with so few.
    private static let areFew = getenv("RINGDISPATCH_BUFFERS") != nil

    @Test("A lane whose first buffers are all held takes the others", .enabled(if: !areFew))
    func newcomers() throws {
        let queue = DispatchQueue(label: "held")
        queue.suspend()
        let placement = ConnectionPlacement(queue: queue, laneNumber: 0)
        let handled = Watched(0)
        var wires: [Wire] = []
        // More than the kernel is given at first; each holds one until the queue goes on.
        for _ in 0..<140 {
            let (descriptor, wire) = Wire.pair()
            let connection = Connection(
                adopting: descriptor, on: placement, options: ConnectionOptions())
            connection.setReceiveHandler { connection, _ in
                handled.increment()
                connection.close()
            }
            connection.activate()
            wires.append(wire)
            wire.send([1])
            try #require(poll { Descriptors.bytesReadable(descriptor) == 0 }, "\(wires.count)")
        }
        #expect(handled.value == 0)
        queue.resume()
        expectEventually(handled) { $0 == 140 }
        for wire in wires { #expect(wire.receive(1).isEmpty) }
    }
}
