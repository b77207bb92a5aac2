import Glibc
import RingDispatch
import RingNetwork
import Testing

@Suite("Connections at the kernel's limit of watched descriptors", .serialized)
struct WatchLimitTests {
    @Test("A connection beyond it fails with the kernel's error, and earlier ones go on")
    func connections() async {
        await #expect(processExitsWith: .success) {
            prepareForTrap()
            let listener = try makeEchoListener()
            let early = Wire.connect(to: listener.port)
            demand(early.echoes([1]), "there is a connection")
            letTasksHaveTheirDescriptors()
            demand(WatchLimit.reach(), "seccomp(2)")
            let (_, _, closed) = makeEcho()
            guard case .failed(let error) = closed.wait(), error.code == .noSpace else {
                return demand(false, "\(String(describing: closed.wait()))")
            }
            let late = Wire.connect(to: listener.port)
            demand(late.receiveEnd() == 0, "the connection is closed")
            demand(early.echoes([2]), "the early one goes on")
            _exit(0)
        }
    }
    @Test("A connection whose unsent bytes cannot wait for room fails, even while it closes")
    func unsent() async {
        await #expect(processExitsWith: .success) {
            prepareForTrap()
            let bytes = patterned(1 << 24)
            let (watched, full, closing) = (Wire.pair(), Wire.pair(), Wire.pair())
            let active = Connection(adopting: watched.0)
            active.setReceiveHandler { $0.send($1) }
            active.activate()
            demand(watched.1.echoes([1]), "there is a connection")
            letTasksHaveTheirDescriptors()
            demand(WatchLimit.reach(), "seccomp(2)")
            demandRefusal(Connection(adopting: closing.0)) {
                $0.send(bytes)
                $0.close()
            }
            demandRefusal(active) {
                // From now on the number names a file that is not watched.
                dup2(full.0, watched.0)
                $0.send(bytes)
            }
            withExtendedLifetime((watched, full, closing)) {}
            _exit(0)
        }
    }
}

/// In a child process: the connection must fail after `body`, because the limit is reached.
private func demandRefusal(_ connection: Connection, _ body: @Sendable (Connection) -> Void) {
    let closed = Outcome<CloseReason>()
    connection.setCloseHandler { closed.set($1) }
    connection.queue.sync { body(connection) }
    guard case .failed(let error) = closed.wait(), error.code == .noSpace else {
        return demand(false, "\(String(describing: closed.wait()))")
    }
}
