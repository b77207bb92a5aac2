import RingDispatch
import Testing

@Suite("Many queues and many hops", .watchdog)
struct StressTests {
    @Test("A token goes to and fro between two queues")
    func pingPong() {
        let one = DispatchQueue(label: "stress.ping")
        let other = DispatchQueue(label: "stress.pong")
        let finished = Gate()
        hop(rounds: 20_000, from: one, to: other, finished: finished)
        expectOpens(finished)
    }

    private func hop(rounds: Int, from: DispatchQueue, to: DispatchQueue, finished: Gate) {
        from.async {
            if rounds == 0 {
                finished.open()
            } else {
                self.hop(rounds: rounds - 1, from: to, to: from, finished: finished)
            }
        }
    }

    @Test("Group hops between two queues all arrive")
    func groupHops() {
        let one = DispatchQueue(label: "stress.group.one")
        let other = DispatchQueue(label: "stress.group.other")
        let group = DispatchGroup()
        let arrived = Watched(0)
        for _ in 0..<5000 {
            one.async(group: group) {
                other.async(group: group) { arrived.increment() }
            }
        }
        #expect(group.wait(timeout: Patience.deadline) == .success)
        #expect(arrived.value == 5000)
    }

    @Test("Tokens fall through a cascade of queues without a loss")
    func cascade() {
        let queues = (0..<20).map { DispatchQueue(label: "stress.cascade.\($0)") }
        let arrived = Watched(0)
        for _ in 0..<200 { fall(into: queues[...], arrived: arrived) }
        expectEventually(arrived) { $0 == 200 }
    }

    private func fall(into queues: ArraySlice<DispatchQueue>, arrived: Watched<Int>) {
        guard let queue = queues.first else {
            arrived.increment()
            return
        }
        queue.async { self.fall(into: queues.dropFirst(), arrived: arrived) }
    }

    @Test("Every queue sends to every other one")
    func starfish() {
        let queues = (0..<50).map { DispatchQueue(label: "stress.star.\($0)") }
        let arrived = Watched(0)
        for sender in queues {
            sender.async {
                for receiver in queues { receiver.async { arrived.increment() } }
            }
        }
        expectEventually(arrived) { $0 == 2500 }
    }
}
