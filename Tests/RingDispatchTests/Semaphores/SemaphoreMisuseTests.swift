import RingDispatch
import Testing

@Suite("Misuse of semaphores traps with a message that names it", .serialized)
struct SemaphoreMisuseTests {
    @Test("34. A negative start value")
    func negative() async {
        let result = await #expect(processExitsWith: .failure, observing: lastWords) {
            prepareForTrap()
            _ = DispatchSemaphore(value: -1)
        }
        expectMessage(result, naming: "semaphore", "negative")
    }

    @Test("34. Releasing a semaphore that is still taken")
    func inUse() async {
        let result = await #expect(processExitsWith: .failure, observing: lastWords) {
            prepareForTrap()
            do {
                let semaphore = DispatchSemaphore(value: 1)
                semaphore.wait()
            }
            letTimePass(milliseconds: 1000 * Patience.seconds)
        }
        expectMessage(result, naming: "semaphore", "in use")
    }
}
