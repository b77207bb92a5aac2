import Glibc
import RingDispatch
@testable import RingNetwork
import Testing

/// While the body runs, a well-behaved client is served again and again.
private func whileServing(
    _ listener: Listener, sourceLocation: SourceLocation = #_sourceLocation,
    _ body: () throws -> Void
) throws {
    let isOver = Watched(false)
    let failed = Watched(0)
    let rounds = Watched(0)
    let client = UserThread {
        let wire = Wire.connect(to: listener.port)
        repeat {
            let bytes = patterned(1000, seed: rounds.value)
            if !wire.send(bytes) || wire.receive(1000) != bytes { failed.increment() }
            rounds.increment()
        } while !isOver.value && failed.value == 0
        wire.close()
    }
    expectEventually(rounds, sourceLocation: sourceLocation) { $0 > 0 }
    let before = rounds.value
    try body()
    expectEventually(rounds, sourceLocation: sourceLocation) { $0 > before + 10 }
    isOver.update { $0 = true }
    #expect(client.join(), sourceLocation: sourceLocation)
    #expect(failed.value == 0, sourceLocation: sourceLocation)
}

private func expectAllGone(
    _ listener: Listener, sourceLocation: SourceLocation = #_sourceLocation
) {
    #expect(
        poll { listener.queue.sync { listener.connections.isEmpty } },
        "connections stay open", sourceLocation: sourceLocation)
}

@Suite("Hostile peers", .watchdog)
struct HostilePeerTests {
    @Test("Storms of resets, at any moment of a connection, disturb nobody")
    func resets() throws {
        let listener = try makeEchoListener()
        let many = patterned(50_000)
        try whileServing(listener) {
            for round in 0..<400 {
                let wire = Wire.connect(to: listener.port)
                switch round % 4 {
                case 0: break
                case 1: wire.send(patterned(round))
                case 2: wire.send(many)
                default: #expect(wire.echoes([1]))
                }
                wire.abort()
            }
        }
        expectAllGone(listener)
        stop(listener)
    }

    @Test("Peers that are gone before they are accepted disturb nobody")
    func goneBeforeAccept() throws {
        let listener = try Listener(.ipv4(.loopback, port: 0))
        for round in 0..<100 {
            let wire = Wire.connect(to: listener.port)
            if round % 2 == 0 { wire.abort() } else { wire.close() }
        }
        serveEcho(listener)
        try whileServing(listener) {}
        expectAllGone(listener)
        stop(listener)
    }

    @Test("Peers that end their side at once, or in the middle, get their answers and go")
    func halfClosed() throws {
        let listener = try makeEchoListener()
        try whileServing(listener) {
            let wires = (0..<100).map { _ in Wire.connect(to: listener.port) }
            for (index, wire) in wires.enumerated() {
                wire.send(patterned(index * 50, seed: index))
                wire.closeOutput()
            }
            for (index, wire) in wires.enumerated() {
                #expect(wire.receive(index * 50) == patterned(index * 50, seed: index))
                #expect(wire.receiveEnd() == 0)
            }
        }
        expectAllGone(listener)
        stop(listener)
    }

    @Test("Peers that connect and say nothing cost their connection, and nothing else")
    func silent() throws {
        let listener = try makeEchoListener()
        let wires = (0..<200).map { _ in Wire.connect(to: listener.port) }
        try whileServing(listener) {
            #expect(poll { listener.queue.sync { listener.connections.count } > 200 })
        }
        let end = shutdown(listener, after: .seconds(1000)).wait()
        #expect(end?.aborted.isEmpty == true)
        #expect(end?.drained ?? 0 >= 200)
        for wire in wires { #expect(wire.receiveEnd() == 0) }
    }

    @Test("A peer that takes one byte at a time is answered no faster, and others are served")
    func slowReaders() throws {
        let listener = try makeEchoListener {
            $0.connection.sendHighWaterBytes = 20_000
            $0.connection.sendLowWaterBytes = 5000
            $0.connection.timeouts.send = .never
        }
        let wires = (0..<8).map { _ in Wire.connect(to: listener.port) }
        let enough = Gate()
        let bytes = patterned(100_000)
        let senders = wires.map { wire in
            UserThread {
                // Until the server closes, which ends this loop.
                while wire.send(bytes) && !enough.wasOpened {}
            }
        }
        try whileServing(listener) {
            #expect(
                poll {
                    // On their own queues.
                    let connections = listener.queue.sync { listener.connections }
                    let slow = connections.filter { connection in
                        connection.queue.sync { !connection.isWritable }
                    }
                    return slow.count == 8
                })
            for _ in 0..<200 {
                for wire in wires { #expect(wire.receive(1).count == 1) }
            }
            for connection in listener.queue.sync(execute: { listener.connections }) {
                let unsent = connection.queue.sync { connection.unsentBytes }
                // Plus the bytes received when the mark was reached.
                #expect(unsent <= 20_000 + 64 * 2048)
            }
        }
        enough.open()
        let end = shutdown(listener, after: .seconds(0)).wait()
        #expect(end?.aborted.count ?? 0 >= 8)
        #expect(end?.aborted.contains { $0.unsentBytes > 0 } == true)
        for sender in senders { #expect(sender.join()) }
    }

    @Test("One peer's flood is held off by its limit, and others are served")
    func onePeer() throws {
        let listener = try makeEchoListener(.ipv4(.any, port: 0)) { $0.connectionLimitPerPeer = 10 }
        let flood = Connector { $0.localEndpoint = .ipv4(IPv4Address(127, 0, 0, 66), port: 0) }
        let target = Endpoint.ipv4(.loopback, port: listener.port)
        let done = Watched(0)
        let kept = Watched<[Connection]>([])
        for _ in 0..<300 {
            flood.connect(to: target, queue: .global()) { result in
                if case .success(let connection) = result {
                    connection.activate()
                    kept.append(connection)
                }
                done.increment()
            }
        }
        let wire = Wire.connect(to: listener.port)
        for round in 0..<50 {
            #expect(wire.echoes(patterned(1000, seed: round)))
        }
        expectEventually(done) { $0 == 300 }
        #expect(poll { listener.queue.sync { listener.counters.refusedPerPeer } == 290 })
        #expect(listener.queue.sync { listener.connections.count } <= 11)
        for connection in kept.value { connection.close() }
        wire.close()
        expectAllGone(listener)
        stop(listener)
    }
}
