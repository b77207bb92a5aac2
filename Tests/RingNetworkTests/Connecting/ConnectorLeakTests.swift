import Glibc
import RingDispatch
import RingNetwork
import Testing

@Suite("Connectors leave no descriptor behind", .serialized)
struct ConnectorLeakTests {
    @Test("All descriptors except the connection are closed, whatever the outcome")
    func descriptors() async {
        await #expect(processExitsWith: .success) {
            prepareForTrap()
            let listener = try makeEchoListener()
            let silent = Blackhole(IPv4Address(127, 0, 0, 20))
            let path = makeSocketPath()
            let targets: [Endpoint] = [
                listener.endpoint, silent.endpoint, .ipv4(IPv4Address(127, 0, 0, 9), port: 1),
                try Endpoint("server.test:\(listener.endpoint.port ?? 0)"),
                .unix(try UnixAddress(path: path)),
            ]
            let connector = Connector {
                $0.attemptDelay = .milliseconds(1)
                $0.timeout = .milliseconds(30)
                $0.resolver = makeResolver([silent.endpoint, listener.endpoint])
            }
            var before = 0
            for round in 0..<10 {
                let ended = Watched(0)
                for target in targets {
                    for kind in 0..<5 {
                        // Connected and dropped, or closed, or cancelled at once.
                        let pending = connector.connect(to: target, queue: .global()) { result in
                            if case .success(let connection) = result, kind == 1 {
                                connection.activate()
                                connection.close()
                            }
                            ended.increment()
                        }
                        if kind == 2 { pending.cancel() }
                    }
                }
                let expected = 5 * targets.count
                demand("round \(round)") { ended.value == expected }
                demand("connections stay") { listener.queue.sync { listener.connections.isEmpty } }
                if round == 0 {
                    letTimePass(milliseconds: 200)
                    letTasksHaveTheirDescriptors()
                    before = openDescriptorCount()
                } else {
                    demand("\(openDescriptorCount()) descriptors, \(before) before") {
                        openDescriptorCount() <= before
                    }
                }
            }
            exit(0)
        }
    }
}
