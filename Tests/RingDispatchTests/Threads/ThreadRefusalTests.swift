import Glibc
import RingDispatch
import Testing

@Suite("A kernel that refuses threads", .serialized)
struct ThreadRefusalTests {
    @Test("A refusal that lasts ends the process with the reason")
    func forbidden() async {
        let result = await #expect(processExitsWith: .failure, observing: lastWords) {
            prepareForTrap()
            demandSuccess(
                CallFilter.install([
                    .load(0), .skip(1, unless: clone3), .end(CallFilter.fail(EPERM)),
                    .end(CallFilter.allow),
                ]) == 0)
            drain(DispatchQueue(label: "refused"))
        }
        guard let result else { return }
        let message = String(decoding: result.standardErrorContent, as: UTF8.self)
        #expect(message.contains("clone3"), "standard error was: \(message)")
        #expect(!message.contains("ulimit"), "standard error was: \(message)")
    }
}

private let clone3 = UInt32(435)

private func demandSuccess(_ holds: Bool) {
    if !holds { endProcess(succeedingIf: false) }
}
