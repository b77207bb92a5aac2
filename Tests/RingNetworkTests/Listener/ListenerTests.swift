import Glibc
import RingDispatch
@testable import RingNetwork
import Testing

@Suite("Listeners", .watchdog)
struct ListenerTests {
    @Test("Many clients are served at once, and each gets its own bytes back")
    func manyClients() throws {
        let listener = try makeEchoListener()
        DispatchQueue.concurrentPerform(iterations: 8) { client in
            for connection in 0..<20 {
                let wire = Wire.connect(to: listener.port)
                let bytes = patterned(1 + 997 * connection, seed: client)
                #expect(wire.send(bytes))
                wire.closeOutput()
                expectSame(wire.receive(bytes.count), bytes)
                #expect(wire.receiveEnd() == 0)
            }
        }
        #expect(listener.queue.sync { listener.acceptedConnections } == 160)
        stop(listener)
    }

    @Test("A connection that the handler neither activates nor keeps is closed")
    func forgotten() throws {
        let listener = try Listener(.ipv4(.loopback, port: 0))
        let kept = Watched<[Connection]>([])
        listener.setConnectionHandler { connection in
            connection.setReceiveHandler { $0.send($1) }
            kept.update { if $0.isEmpty { $0.append(connection) } }
        }
        listener.activate()
        let first = Wire.connect(to: listener.port)
        expectEventually(kept) { $0.count == 1 }
        let second = Wire.connect(to: listener.port)
        #expect(second.receiveEnd() == 0)
        // The one that was kept may still be activated.
        kept.value[0].activate()
        #expect(first.send([1]))
        #expect(first.receive(1) == [1])
        #expect(listener.queue.sync { listener.counters.accepted } == 2)
        first.close()
        second.close()
        kept.update { $0 = [] }
        stop(listener)
    }

    @Test("A connection handler that closes the listener keeps its connection")
    func lastConnection() throws {
        let listener = try Listener(.ipv4(.loopback, port: 0))
        listener.setConnectionHandler { connection in
            connection.setReceiveHandler { $0.send($1) }
            connection.activate()
            listener.close()
        }
        listener.activate()
        let wire = Wire.connect(to: listener.port)
        #expect(wire.send([1]))
        #expect(wire.receive(1) == [1])
        wire.close()
        stop(listener)
    }

    @Test("Connections that share a queue wait for a handler of another that blocks")
    func sharedQueue() throws {
        let listener = try Listener(.ipv4(.loopback, port: 0)) {
            $0.placement = ConnectionPlacement(queue: DispatchQueue(label: "shared"))
        }
        let (calls, mayGoOn) = (Watched(0), Gate())
        serveEcho(listener) { connection in
            connection.setReceiveHandler { connection, bytes in
                calls.increment()
                expectOpens(mayGoOn)
                connection.send(bytes)
            }
        }
        let wires = (0..<2).map { _ in Wire.connect(to: listener.port) }
        #expect(wires[0].send([1]))
        expectEventually(calls) { $0 == 1 }
        #expect(wires[1].send([2]))
        expectStays(calls, at: 1)
        mayGoOn.open()
        #expect(wires[0].receive(1) == [1])
        #expect(wires[1].receive(1) == [2])
        for wire in wires { wire.close() }
        stop(listener)
    }

    @Test("A handler uses the other connections of its queue directly, and sends on them")
    func broadcast() throws {
        let queue = DispatchQueue(label: "room")
        let room = Room()
        var options = ListenerOptions()
        options.placement = ConnectionPlacement(queue: queue)
        let listener = try Listener(.ipv4(.loopback, port: 0), options: options, target: queue)
        listener.setConnectionHandler { connection in
            room.members.append(connection)
            connection.setReceiveHandler { sender, bytes in
                for member in room.members where member !== sender && member.isWritable {
                    member.send(bytes)
                }
            }
            connection.activate()
        }
        listener.activate()
        let wires = (0..<3).map { _ in Wire.connect(to: listener.port) }
        #expect(poll { queue.sync { room.members.count == 3 } })
        #expect(wires[0].send([1, 2, 3]))
        #expect(wires[1].receive(3) == [1, 2, 3])
        #expect(wires[2].receive(3) == [1, 2, 3])
        // The listener's queue is theirs, too.
        let report = try #require(shutdown(listener, after: .seconds(Patience.seconds)).wait())
        #expect(report.aborted.isEmpty && report.unfinished == 0)
        #expect(wires.allSatisfy { $0.receiveEnd() == 0 })
        queue.sync { room.members = [] }
    }

    /// Belongs to the queue of the test.
    private final class Room: @unchecked Sendable {
        var members: [Connection] = []
    }

    @Test("Both sides of a connection notice that the other has vanished (SO_KEEPALIVE)")
    func keepAlive() throws {
        let options = Watched<[Int32?]>([])
        let listener = try Listener(.ipv4(.loopback, port: 0)) { $0.socket.keepAlive = .seconds(8) }
        serveEcho(listener) {
            options.append(socketOption($0.descriptor, IPPROTO_TCP, TCP_KEEPIDLE))
        }
        let client = try Connector.shared.connection(to: listener.endpoint)
        expectEventually(options) { $0 == [8] }
        #expect(socketOption(client.descriptor, Int(SOL_SOCKET), SO_KEEPALIVE) == 1)
        #expect(socketOption(client.descriptor, IPPROTO_TCP, TCP_KEEPIDLE) == 60)
        #expect(socketOption(client.descriptor, IPPROTO_TCP, TCP_KEEPINTVL) == 15)
        client.abort()
        stop(listener)
    }

    @Test("Storms of clients that reset their connections leave nothing behind")
    func resets() throws {
        let listener = try makeEchoListener()
        for round in 0..<300 {
            let wire = Wire.connect(to: listener.port)
            wire.send(patterned(round * 13))
            wire.abort()
        }
        let last = Wire.connect(to: listener.port)
        #expect(last.echoes([1]))
        last.close()
        while !listener.queue.sync(execute: { listener.connections.isEmpty }) { sched_yield() }
        stop(listener)
    }

    @Test("A port in use is an error with a remedy")
    func busyPort() throws {
        let listener = try makeEchoListener()
        let error = #expect(throws: ListenerError.self) {
            try Listener(Endpoint("127.0.0.1:\(listener.port)"))
        }
        #expect(error?.cause.code == .addressInUse)
        #expect(error.map { "\($0)".contains("another program listens there") } == true)
        stop(listener)
    }

    /// In a process that starts no other, because each fork holds all descriptors until its exec.
    @Test("After the stop the port is free, and open connections go on")
    func stopping() async {
        await #expect(processExitsWith: .success) {
            prepareForTrap()
            let listener = try makeEchoListener()
            let wire = Wire.connect(to: listener.port)
            #expect(wire.echoes([1]))
            stop(listener)
            let next = try Listener(Endpoint("127.0.0.1:\(listener.port)"))
            #expect(wire.echoes([2]))
            stop(next)
        }
    }

    @Test("A listener removes its Unix socket file")
    func unixSocket() throws {
        let path = makeSocketPath()
        let listener = try Listener(Endpoint("unix:\(path)"))
        #expect(access(path, F_OK) == 0)
        listener.activate()
        stop(listener)
        #expect(access(path, F_OK) != 0)
    }

    @Test("Handlers that are set on a closed listener are released")
    func lateHandlers() throws {
        weak var weakListener: Listener?
        do {
            let listener = try makeEchoListener()
            weakListener = listener
            stop(listener)
            listener.setConnectionHandler { [listener] _ in _ = listener.endpoint }
            listener.setErrorHandler { [listener] _, _ in _ = listener.endpoint }
        }
        #expect(poll { weakListener == nil })
    }
}
