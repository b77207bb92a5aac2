import RingDispatch
import Testing

@Suite("A wait for the own queue traps with a message that names the queue", .serialized)
struct DeadlockTests {
    @Test("16. sync on the own queue")
    func ownQueue() async {
        let result = await #expect(processExitsWith: .failure, observing: lastWords) {
            prepareForTrap()
            let queue = DispatchQueue(label: "deadlock.own")
            queue.sync { queue.sync {} }
        }
        expectMessage(result, naming: "deadlock.own", "deadlock")
    }

    @Test("16. sync on the own queue from a queued item")
    func fromItem() async {
        let result = await #expect(processExitsWith: .failure, observing: lastWords) {
            prepareForTrap()
            let queue = DispatchQueue(label: "deadlock.item")
            queue.async { queue.sync {} }
            Gate().pass()
        }
        expectMessage(result, naming: "deadlock.item", "deadlock")
    }

    @Test("17. sync to the target from a queue above it")
    func parent() async {
        let result = await #expect(processExitsWith: .failure, observing: lastWords) {
            prepareForTrap()
            let parent = DispatchQueue(label: "deadlock.parent")
            let child = DispatchQueue(label: "deadlock.above", target: parent)
            child.sync { parent.sync {} }
        }
        expectMessage(result, naming: "deadlock.parent", "deadlock")
    }

    @Test("17. sync to a queue from its serial target")
    func child() async {
        let result = await #expect(processExitsWith: .failure, observing: lastWords) {
            prepareForTrap()
            let parent = DispatchQueue(label: "deadlock.below")
            let child = DispatchQueue(label: "deadlock.child", target: parent)
            parent.sync { child.sync {} }
        }
        expectMessage(result, naming: "deadlock.below", "deadlock")
    }

    @Test("16. A sync barrier inside a barrier of the same concurrent queue")
    func barrier() async {
        let result = await #expect(processExitsWith: .failure, observing: lastWords) {
            prepareForTrap()
            let queue = DispatchQueue(label: "deadlock.barrier", attributes: .concurrent)
            queue.sync(flags: .barrier) { queue.sync(flags: .barrier) {} }
        }
        expectMessage(result, naming: "deadlock.barrier", "deadlock")
    }

    @Test("16. Two queues that wait for each other")
    func cycle() async {
        let result = await #expect(processExitsWith: .failure, observing: lastWords) {
            prepareForTrap()
            let one = DispatchQueue(label: "deadlock.one")
            let other = DispatchQueue(label: "deadlock.other")
            let inOne = Gate()
            let inOther = Gate()
            one.async {
                inOne.open()
                inOther.pass()
                other.sync {}
            }
            other.async {
                inOther.open()
                inOne.pass()
                one.sync {}
            }
            Gate().pass()
        }
        expectMessage(result, naming: "deadlock.one", "deadlock.other", "deadlock")
    }

    @Test("16. Three queues that wait in a ring")
    func longCycle() async {
        let result = await #expect(processExitsWith: .failure, observing: lastWords) {
            prepareForTrap()
            let queues = (0..<3).map { DispatchQueue(label: "deadlock.ring.\($0)") }
            let inside = Watched(0)
            for index in 0..<3 {
                queues[index].async {
                    inside.increment()
                    _ = inside.wait(seconds: Patience.seconds) { $0 == 3 }
                    queues[(index + 1) % 3].sync {}
                }
            }
            Gate().pass()
        }
        expectMessage(result, naming: "deadlock.ring", "deadlock")
    }
}
