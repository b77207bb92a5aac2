import RingDispatch
import Testing

@Suite("Misuse of sources traps with a message that names it", .serialized)
struct SourceMisuseTests {
    @Test("4. Resuming an active source that is not suspended")
    func overResume() async {
        let result = await #expect(processExitsWith: .failure, observing: lastWords) {
            prepareForTrap()
            let source = DispatchSource.makeUserDataAddSource()
            source.activate()
            source.resume()
        }
        expectMessage(result, naming: "source", "over-resume")
    }

    @Test("3. Releasing a source that was never activated")
    func releaseInactive() async {
        let result = await #expect(processExitsWith: .failure, observing: lastWords) {
            prepareForTrap()
            _ = DispatchSource.makeTimerSource(queue: DispatchQueue(label: "misuse.source"))
            letTimePass(milliseconds: 1000 * Patience.seconds)
        }
        expectMessage(result, naming: "source", "released", "inactive")
    }

    @Test("3. Releasing a suspended source")
    func releaseSuspended() async {
        let result = await #expect(processExitsWith: .failure, observing: lastWords) {
            prepareForTrap()
            do {
                let source = DispatchSource.makeTimerSource()
                source.activate()
                source.suspend()
            }
            letTimePass(milliseconds: 1000 * Patience.seconds)
        }
        expectMessage(result, naming: "source", "released", "suspended")
    }

    @Test("70. A timer with a negative interval")
    func negativeInterval() async {
        await #expect(processExitsWith: .failure) {
            prepareForTrap()
            let timer = DispatchSource.makeTimerSource()
            timer.schedule(deadline: .now(), repeating: .seconds(-1))
            timer.activate()
        }
        await #expect(processExitsWith: .failure) {
            prepareForTrap()
            DispatchSource.makeTimerSource().schedule(deadline: .now(), repeating: -.infinity)
        }
    }
}
