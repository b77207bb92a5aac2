import Glibc
import RingDispatch
import RingNetwork
import Testing

/// Events of a loop do not interrupt the handler that runs on the loop's thread.
@Suite("Connections beside a handler that blocks in system calls", .watchdog, .serialized)
struct UninterruptedConnectionTests {
    @Test("System calls last as long as they should, while connections of the loop receive")
    func connections() async {
        await #expect(processExitsWith: .success) {
            prepareForTrap()
            setenv("RINGDISPATCH_LOOPS", "1", 1)
            let complaints = Watched<[String]?>(nil)
            let (blocked, _, _) = makeConnection { connection in
                connection.setReceiveHandler { _, _ in
                    let found = BlockingCall.complaints()
                    complaints.update { $0 = found }
                }
            }
            let others = (0..<200).map { _ in makeEcho().0 }
            for wire in others { demand(wire.echoes([0]), "it is served before") }
            demand(blocked.send([1]), "the kernel takes it")
            var rounds: UInt8 = 0
            repeat {
                rounds &+= 1
                for wire in others { demand(wire.send([rounds]), "the kernel takes it") }
                for wire in others { demand(wire.receive(1) == [rounds], "round \(rounds)") }
            } while complaints.value == nil
            demand(complaints.value == [], "\(complaints.value ?? [])")
            _exit(0)
        }
    }
}
