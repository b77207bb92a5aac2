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
        let held = HeldConnections()
        for number in 0..<HeldConnections.count {
            let descriptor = held.add()
            held.wires[number].send([1])
            try #require(poll { Descriptors.bytesReadable(descriptor) == 0 }, "\(number)")
        }
        held.expectAllHandled()
    }

    @Test("So do those that waited for bytes while there were buffers", .enabled(if: !areFew))
    func earlyComers() throws {
        let held = HeldConnections()
        let descriptors = (0..<HeldConnections.count).map { _ in held.add() }
        for wire in held.wires { wire.send([1]) }
        for (number, descriptor) in descriptors.enumerated() {
            try #require(poll { Descriptors.bytesReadable(descriptor) == 0 }, "\(number)")
        }
        held.expectAllHandled()
    }
}

/// Connections of one lane whose queue does not run: each holds the buffer that its bytes are in.
private final class HeldConnections {
    /// More than the kernel is given buffers at first.
    static let count = 140

    private let queue = DispatchQueue(label: "held")
    private let handled = Watched(0)
    private(set) var wires: [Wire] = []

    init() { queue.suspend() }

    /// Its descriptor.
    func add() -> Int32 {
        let (descriptor, wire) = Wire.pair()
        let connection = Connection(
            adopting: descriptor, on: ConnectionPlacement(queue: queue, laneNumber: 0),
            options: ConnectionOptions())
        connection.setReceiveHandler { [handled] connection, _ in
            handled.increment()
            connection.close()
        }
        connection.activate()
        wires.append(wire)
        return descriptor
    }

    func expectAllHandled() {
        #expect(handled.value == 0)
        queue.resume()
        expectEventually(handled) { $0 == HeldConnections.count }
        for wire in wires { #expect(wire.receive(1).isEmpty) }
    }
}
