import Glibc
import RingDispatch
import RingNetwork
import Testing

@Suite("Connections at the kernel's limit of watched descriptors", .serialized)
struct WatchLimitTests {
    @Test("A connection beyond it waits until the kernel has room, and earlier ones go on")
    func connections() async {
        await #expect(processExitsWith: .success) {
            prepareForTrap()
            let listener = try makeEchoListener()
            let early = Wire.connect(to: listener.port)
            demand(early.echoes([1]), "there is a connection")
            letTasksHaveTheirDescriptors()
            demand(WatchLimit.reach(), "seccomp(2)")
            let late = Wire.connect(to: listener.port)
            late.send([3])
            demand(early.echoes([2]), "the early one goes on")
            let isAccepted = poll { listener.queue.sync { listener.acceptedConnections } == 2 }
            demand(isAccepted, "it is accepted")
            WatchLimit.lift()
            demand(late.receive(1) == [3], "the late one is served")
            demand(late.echoes([4]), "it goes on")
            _exit(0)
        }
    }

    @Test("A listener and a datagram socket that are activated beyond it work later")
    func servers() async {
        await #expect(processExitsWith: .success) {
            prepareForTrap()
            let first = try makeEchoListener()
            demand(Wire.connect(to: first.port).echoes([1]), "the library has its descriptors")
            letTasksHaveTheirDescriptors()
            demand(WatchLimit.reach(), "seccomp(2)")
            let listener = try Listener(.ipv4(.loopback, port: 0))
            listener.setErrorHandler { demand(false, "\($1)") }
            serveEcho(listener)
            let socket = try DatagramSocket.echo()
            socket.setCloseHandler { demand(false, "\(String(describing: $1))") }
            let (wire, datagrams) = (Wire.connect(to: listener.port), PlainDatagrams())
            wire.send([2])
            datagrams.send([3], to: socket.port)
            listener.queue.sync {}
            socket.queue.sync {}
            WatchLimit.lift()
            demand(wire.receive(1) == [2], "the listener accepts")
            demand(datagrams.receive() == [3], "the socket receives")
            _exit(0)
        }
    }

    @Test("A connector beyond it does not report a connection that is not there")
    func connectors() async {
        await #expect(processExitsWith: .success) {
            prepareForTrap()
            let silent = Blackhole(IPv4Address(127, 0, 0, 12))
            let connector = Connector { $0.timeout = .milliseconds(300) }
            demand(connector.error(of: silent.endpoint) != nil, "nobody answers")
            letTasksHaveTheirDescriptors()
            demand(WatchLimit.reach(), "seccomp(2)")
            guard let error = connector.error(of: silent.endpoint), case .timedOut = error.reason
            else { return demand(false, "a time-out") }
            _exit(0)
        }
    }

    @Test("Unsent bytes wait until the kernel has room for the connection")
    func unsent() async {
        await #expect(processExitsWith: .success) {
            prepareForTrap()
            let bytes = patterned(1 << 24)
            let (near, wire) = Wire.pair()
            let connection = Connection(adopting: near)
            demand(makeEcho().0.echoes([1]), "the library has its descriptors")
            letTasksHaveTheirDescriptors()
            demand(WatchLimit.reach(), "seccomp(2)")
            connection.queue.sync {
                connection.send(bytes)
                connection.close()
            }
            WatchLimit.lift()
            demand(wire.receive(bytes.count) == bytes, "all bytes arrive")
            demand(wire.receiveEnd() == 0, "the connection closes")
            _exit(0)
        }
    }
}
