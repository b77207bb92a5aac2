import Glibc
import RingDispatch
import Testing

@Suite("A closed peer gives EPIPE and no signal", .serialized)
struct IOPeerTests {
    @Test("of a socket")
    func socket() async {
        await #expect(processExitsWith: .success) { Self.writeToClosedPeer(.socketPair) }
    }

    @Test("of a pipe")
    func pipe() async {
        await #expect(processExitsWith: .success) { Self.writeToClosedPeer(.pipe) }
    }

    /// In the child: a signal would end it.
    private static func writeToClosedPeer(_ kind: Channel.Kind) {
        prepareForTrap()
        signal(SIGPIPE, SIG_DFL)
        let queue = DispatchQueue(label: "io.epipe")
        let pair = Channel(kind)
        // The first write fails on a loop, the second on a thread of the program, the third in a
        // handler.
        let alone = Transfer()
        let (channel, _) = IOTests.open(.stream, pair.far)
        let big = copied([UInt8](repeating: 1, count: 4 << 20))
        let stuck = channel.write(big, on: queue)
        pair.closeNear()
        let first = stuck.finish().last
        let late = channel.write(copied([1]), on: queue)
        let second = late.finish()
        queue.async {
            DispatchIO.write(
                toFileDescriptor: pair.far, data: copied([1, 2]), runningHandlerOn: queue
            ) { alone.handler(true, $0, $1) }
        }
        let third = alone.finish()
        var pending = sigset_t()
        sigpending(&pending)
        endProcess(
            succeedingIf: first?.error == EPIPE && (first?.bytes?.count ?? 0) > 0
                && second == [.done([1], EPIPE)] && third == [.done([1, 2], EPIPE)]
                && sigismember(&pending, SIGPIPE) == 0)
    }
}
