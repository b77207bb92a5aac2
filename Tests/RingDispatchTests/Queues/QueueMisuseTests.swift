import RingDispatch
import Testing

@Suite("Misuse of queues traps with a message that names it", .serialized)
struct QueueMisuseTests {
    @Test("4. Resuming a queue that is not suspended")
    func overResume() async {
        let result = await #expect(processExitsWith: .failure, observing: lastWords) {
            prepareForTrap()
            DispatchQueue(label: "misuse.resume").resume()
        }
        expectMessage(result, naming: "misuse.resume", "over-resume")
    }

    @Test("2. Resuming an inactive queue that was never suspended")
    func resumeInactive() async {
        let result = await #expect(processExitsWith: .failure, observing: lastWords) {
            prepareForTrap()
            let queue = DispatchQueue(label: "misuse.inactive", attributes: .initiallyInactive)
            queue.resume()
            queue.activate()
        }
        expectMessage(result, naming: "misuse.inactive", "over-resume")
    }

    @Test("3. Releasing a suspended queue")
    func releaseSuspended() async {
        let result = await #expect(processExitsWith: .failure, observing: lastWords) {
            prepareForTrap()
            do {
                let queue = DispatchQueue(label: "misuse.suspended")
                queue.suspend()
            }
            letTimePass(milliseconds: 1000 * Patience.seconds)
        }
        expectMessage(result, naming: "misuse.suspended", "released", "suspended")
    }

    @Test("3. Releasing an inactive queue")
    func releaseInactive() async {
        let result = await #expect(processExitsWith: .failure, observing: lastWords) {
            prepareForTrap()
            _ = DispatchQueue(label: "misuse.unused", attributes: .initiallyInactive)
            letTimePass(milliseconds: 1000 * Patience.seconds)
        }
        expectMessage(result, naming: "misuse.unused", "released", "inactive")
    }

    @Test("9. Changing the target of an active queue")
    func retargetActive() async {
        let result = await #expect(processExitsWith: .failure, observing: lastWords) {
            prepareForTrap()
            let target = DispatchQueue(label: "misuse.target")
            let queue = DispatchQueue(label: "misuse.retarget")
            queue.setTarget(queue: target)
            drain(queue)
        }
        expectMessage(result, naming: "misuse.retarget", "target")
    }

    @Test("27. Setting a specific value on a global queue")
    func globalSpecific() async {
        let result = await #expect(processExitsWith: .failure, observing: lastWords) {
            prepareForTrap()
            DispatchQueue.global().setSpecific(key: DispatchSpecificKey<Int>(), value: 1)
        }
        expectMessage(result, naming: "specific", "global")
    }
}
