internal import CSimulation
internal import Glibc
internal import RingDispatch
internal import RingNetwork

/// An echo server, and peers that are slow, impatient or rude.
final class StreamsScenario: @unchecked Sendable {
    private var finished = 0

    func run() {
        let server = EchoServer()
        simulation_set_fault(SIMULATION_ACCEPT_ERRORS, oneIn(2) ? UInt32(random(0...50)) : 0)
        simulation_set_fault(SIMULATION_ADD_ERRORS, oneIn(4) ? UInt32(random(0...50)) : 0)
        simulation_set_fault(SIMULATION_ENTER_ERRORS, oneIn(2) ? UInt32(random(0...600)) : 0)
        let peers = random(2...8)
        for _ in 0..<peers {
            startThread { [self] in
                for _ in 0..<random(1...3) { EchoPeer(server).run() }
                finished += 1
            }
        }
        wait(seconds: 200, until: { finished == peers }, "all peers")
        server.close()
    }
}
