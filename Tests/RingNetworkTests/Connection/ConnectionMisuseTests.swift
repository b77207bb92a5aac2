import Glibc
import RingDispatch
import Testing

@testable import RingNetwork

@Suite("Misuse of connections traps", .serialized)
struct ConnectionMisuseTests {
    @Test("a connection on a concurrent queue")
    func concurrentQueue() async {
        let result = await #expect(processExitsWith: .failure, observing: lastWords) {
            prepareForTrap()
            let queue = DispatchQueue(label: "many.at.once", attributes: .concurrent)
            let (descriptor, _) = Wire.pair()
            _ = Connection(
                adopting: descriptor, on: ConnectionPlacement(queue: queue),
                options: ConnectionOptions())
        }
        expectMessage(result, naming: "many.at.once", "serial")
    }

    @Test("adopting what is not a connection")
    func adopting() async {
        let datagrams = await #expect(processExitsWith: .failure, observing: lastWords) {
            prepareForTrap()
            _ = Connection(adopting: socket(AF_INET, Int32(SOCK_DGRAM.rawValue), 0))
        }
        expectMessage(datagrams, naming: "not a connected stream socket")
        let listening = await #expect(processExitsWith: .failure, observing: lastWords) {
            prepareForTrap()
            let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            precondition(listen(descriptor, 1) == 0)
            _ = Connection(adopting: descriptor)
        }
        expectMessage(listening, naming: "not a connected stream socket")
    }

    @Test("a connection's state off its queue")
    func stateOffTheQueue() async {
        let result = await #expect(processExitsWith: .failure, observing: lastWords) {
            prepareForTrap()
            let (descriptor, _) = Wire.pair()
            let connection = Connection(adopting: descriptor, label: "greeter")
            // Its maker may use it until it is activated.
            precondition(connection.state == .setup && connection.isWritable)
            connection.activate()
            // In a block of the queue anybody may.
            precondition(connection.queue.sync { connection.state } == .active)
            // Counters belong to everybody.
            precondition(connection.statistics.sends == 0)
            _ = connection.state
        }
        expectMessage(result, naming: "Connection.state", "'greeter'", "queue.sync")
    }

    @Test("resuming without a pause, also the pause of a task that does not wait")
    func overResume() async {
        let plain = await #expect(processExitsWith: .failure, observing: lastWords) {
            prepareForTrap()
            let (descriptor, _) = Wire.pair()
            Connection(adopting: descriptor, label: "greeter").resumeReceiving()
        }
        expectMessage(plain, naming: "resumeReceiving", "'greeter'", "without a pause")
        let awaited = await #expect(processExitsWith: .failure, observing: lastWords) {
            prepareForTrap()
            let (descriptor, _) = Wire.pair()
            try await Connection(adopting: descriptor, label: "greeter").run {
                client async throws in
                client.connection.resumeReceiving()
                _ = try await client.receive()
            }
        }
        expectMessage(awaited, naming: "resumeReceiving", "'greeter'", "without a pause")
    }

    @Test("impossible options, before a client meets them")
    func impossibleOptions() async {
        let span = await #expect(processExitsWith: .failure, observing: lastWords) {
            prepareForTrap()
            _ = try Listener(.ipv4(.loopback, port: 0)) {
                $0.connection.timeouts.idle = .seconds(0)
            }
        }
        expectMessage(span, naming: "ConnectionTimeouts.idle", "seconds(0)", "positive")
        let window = await #expect(processExitsWith: .failure, observing: lastWords) {
            prepareForTrap()
            var rate = MinimumRate(bytesPerSecond: 100)
            rate.window = .seconds(0)
            _ = try Listener(.ipv4(.loopback, port: 0)) { [rate] in
                $0.connection.timeouts.sendRate = rate
            }
        }
        expectMessage(window, naming: "ConnectionTimeouts.sendRate.window", "positive")
        let mark = await #expect(processExitsWith: .failure, observing: lastWords) {
            prepareForTrap()
            _ = Connector { $0.connection.sendLowWaterBytes = -1 }
        }
        expectMessage(mark, naming: "ConnectionOptions", "-1", "negative")
        let endpoints = await #expect(processExitsWith: .failure, observing: lastWords) {
            prepareForTrap()
            _ = try Listener([])
        }
        expectMessage(endpoints, naming: "a Listener without endpoints", "pass at least one")
    }

    @Test("receiving exactly no bytes")
    func exactlyNone() async {
        let result = await #expect(processExitsWith: .failure, observing: lastWords) {
            prepareForTrap()
            let (descriptor, _) = Wire.pair()
            try await Connection(adopting: descriptor, label: "greeter").run {
                client async throws in
                _ = try await client.receive(exactly: 0)
            }
        }
        expectMessage(result, naming: "exactly: 0", "'greeter'", "at least 1")
    }

    @Test("a listener's counters off its queue")
    func countersOffTheQueue() async {
        let result = await #expect(processExitsWith: .failure, observing: lastWords) {
            prepareForTrap()
            let listener = try Listener(.ipv4(.loopback, port: 0))
            listener.activate()
            _ = listener.connections
        }
        expectMessage(result, naming: "Listener.connections", "'listener 127.0.0.1:", "queue.sync")
    }

    @Test("a datagram socket's queue length off its queue")
    func queuedBytesOffTheQueue() async {
        let result = await #expect(processExitsWith: .failure, observing: lastWords) {
            prepareForTrap()
            let socket = try DatagramSocket(.ipv4(.loopback, port: 0))
            socket.activate()
            _ = socket.queuedBytes
        }
        expectMessage(result, naming: "DatagramSocket.queuedBytes", "'datagrams ", "queue.sync")
    }
}
