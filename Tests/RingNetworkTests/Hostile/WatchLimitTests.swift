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
}
