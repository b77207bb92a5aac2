import RingDispatch
import Testing

@Suite("Misuse of groups traps with a message that names it", .serialized)
struct GroupMisuseTests {
    @Test("31. Leaving a group more often than entering it")
    func unbalancedLeave() async {
        let result = await #expect(processExitsWith: .failure, observing: lastWords) {
            prepareForTrap()
            let group = DispatchGroup()
            group.enter()
            group.leave()
            group.leave()
        }
        expectMessage(result, naming: "group", "unbalanced")
    }

    @Test("31. Releasing a group that somebody has not left")
    func releaseNonEmpty() async {
        let result = await #expect(processExitsWith: .failure, observing: lastWords) {
            prepareForTrap()
            do {
                let group = DispatchGroup()
                group.enter()
            }
            letTimePass(milliseconds: 1000 * Patience.seconds)
        }
        expectMessage(result, naming: "group", "released")
    }
}
