import RingDispatch
import Testing

@Suite("Misuse of semaphores traps with a message that names it", .serialized)
struct SemaphoreMisuseTests {
    @Test("A negative start value")  // contract 34
    func negative() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            prepareForTrap()
            _ = DispatchSemaphore(value: -1)
        }
        expectMessage(result, naming: "semaphore", "negative")
    }

    @Test("Releasing a semaphore that is still taken")  // contract 34
    func inUse() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            prepareForTrap()
            do {
                let semaphore = DispatchSemaphore(value: 1)
                semaphore.wait()
            }
            letTimePass(milliseconds: 1000)
        }
        expectMessage(result, naming: "semaphore", "in use")
    }
}
