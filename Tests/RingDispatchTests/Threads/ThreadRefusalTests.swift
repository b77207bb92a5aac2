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

    @Test(
        "Background items do not each try to make threads",
        .disabled(
            if: isThreadSanitized || isAddressSanitized,
            "a sanitizer holds its locks while it makes a thread"))
    func attempts() async {
        await #expect(processExitsWith: .success) {
            prepareForTrap()
            drain(DispatchQueue(label: "first"))
            let attempts = Watched(0)
            demandSuccess(
                CallFilter.answer([
                    .load(0), .skip(1, unless: clone3), .end(CallFilter.notify),
                    .end(CallFilter.allow),
                ]) {
                    attempts.increment()
                    return EAGAIN
                })
            let group = DispatchGroup()
            let start = DispatchTime.now()
            for _ in 0..<2000 { DispatchQueue.global(qos: .background).async(group: group) {} }
            group.wait()
            let milliseconds = Int((DispatchTime.now().rawValue - start.rawValue) / 1_000_000)
            // Both pools try once a millisecond.
            demandSuccess(attempts.value <= 2 * milliseconds + 10)
            _exit(0)
        }
    }
}

private let clone3 = UInt32(435)

private func demandSuccess(_ holds: Bool) {
    if !holds { endProcess(succeedingIf: false) }
}
