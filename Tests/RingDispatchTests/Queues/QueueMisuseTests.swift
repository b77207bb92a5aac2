import RingDispatch
import Testing

@Suite("Misuse of queues traps with a message that names it", .serialized)
struct QueueMisuseTests {
    @Test("Resuming a queue that is not suspended")  // contract 4
    func overResume() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            prepareForTrap()
            DispatchQueue(label: "misuse.resume").resume()
        }
        expectMessage(result, naming: "misuse.resume", "over-resume")
    }

    @Test("Resuming an inactive queue that was never suspended")  // contract 2
    func resumeInactive() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            prepareForTrap()
            let queue = DispatchQueue(label: "misuse.inactive", attributes: .initiallyInactive)
            queue.resume()
            queue.activate()
        }
        expectMessage(result, naming: "misuse.inactive", "over-resume")
    }

    @Test("Releasing a suspended queue")  // contract 3
    func releaseSuspended() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            prepareForTrap()
            do {
                let queue = DispatchQueue(label: "misuse.suspended")
                queue.suspend()
            }
            letTimePass(milliseconds: 1000)
        }
        expectMessage(result, naming: "misuse.suspended", "released", "suspended")
    }

    @Test("Releasing an inactive queue")  // contract 3
    func releaseInactive() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            prepareForTrap()
            _ = DispatchQueue(label: "misuse.unused", attributes: .initiallyInactive)
            letTimePass(milliseconds: 1000)
        }
        expectMessage(result, naming: "misuse.unused", "released", "inactive")
    }

    @Test("Changing the target of an active queue")  // contract 9
    func retargetActive() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            prepareForTrap()
            let target = DispatchQueue(label: "misuse.target")
            let queue = DispatchQueue(label: "misuse.retarget")
            queue.setTarget(queue: target)
            drain(queue)
        }
        expectMessage(result, naming: "misuse.retarget", "target")
    }

    @Test("Setting a specific value on a global queue")  // contract 27
    func globalSpecific() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            prepareForTrap()
            DispatchQueue.global().setSpecific(key: DispatchSpecificKey<Int>(), value: 1)
        }
        expectMessage(result, naming: "specific", "global")
    }
}
