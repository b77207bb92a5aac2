import Testing

@testable import RingNetwork

@Suite("A listener's open connections", .watchdog)
struct OpenConnectionsTests {
    private let wires = (0..<3).map { _ in Wire.pair() }

    /// Never activated: they close their descriptors when they go.
    private func makeConnections() -> [Connection] {
        wires.map { Connection(adopting: $0.0) }
    }

    @Test("One that has left is not there, although another has its place")
    func placesAreUsedAgain() {
        let connections = makeConnections()
        var open = OpenConnections()
        open.insert(OpenConnection(connection: connections[0], peer: nil))
        open.insert(OpenConnection(connection: connections[1], peer: nil))
        #expect(open.remove(connections[0])?.connection === connections[0])
        open.insert(OpenConnection(connection: connections[2], peer: nil))
        #expect(!open.contains(connections[0]) && open.remove(connections[0]) == nil)
        #expect(open.contains(connections[1]) && open.contains(connections[2]))
        #expect(open.count == 2 && open.all.count == 2)
    }

    @Test("What is kept for one goes with it")
    func drainHandlers() {
        let connections = makeConnections()
        var open = OpenConnections()
        open.insert(OpenConnection(connection: connections[0], peer: nil))
        open.setDrain({ _ in }, of: connections[0])
        // Not one of the listener's.
        open.setDrain({ _ in }, of: connections[1])
        #expect(open.all.map { $0.drain != nil } == [true])
        _ = open.remove(connections[0])
        open.insert(OpenConnection(connection: connections[1], peer: nil))
        #expect(open.all.map { $0.drain != nil } == [false])
        #expect(!open.isEmpty && OpenConnections().isEmpty)
    }
}
