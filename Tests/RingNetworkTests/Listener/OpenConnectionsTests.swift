import Testing

@testable import RingNetwork

@Suite("A listener's open connections", .watchdog)
struct OpenConnectionsTests {
    private let wires = (0..<3).map { _ in Wire.pair() }

    /// Never activated, so that they close their descriptors when released.
    private func makeConnections() -> [Connection] {
        wires.map { Connection(adopting: $0.0) }
    }

    @Test("A removed connection is not contained, even if another has its index")
    func placesAreUsedAgain() {
        let connections = makeConnections()
        var open = OpenConnections()
        open.insert(connections[0])
        open.insert(connections[1])
        var wasThere = open.remove(connections[0])
        #expect(wasThere)
        open.insert(connections[2])
        wasThere = open.contains(connections[0]) || open.remove(connections[0])
        #expect(!wasThere)
        #expect(open.contains(connections[1]) && open.contains(connections[2]))
        #expect(open.count == 2 && open.all.count == 2)
        #expect(!open.isEmpty && OpenConnections().isEmpty)
    }
}
