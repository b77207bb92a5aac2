import RingDispatch
import Testing

@Suite("Misuse of channels traps with a message that names it", .serialized)
struct IOMisuseTests {
    @Test("A negative length of a read")
    func negativeLength() async {
        let result = await #expect(processExitsWith: .failure, observing: lastWords) {
            prepareForTrap()
            let (channel, _) = IOTests.open(.stream, 0)
            channel.read(offset: 0, length: -5, queue: .global()) { _, _, _ in }
        }
        expectMessage(result, naming: "DispatchIO", "length", "-5", "negative")
    }

    @Test("A negative length of a convenience read")
    func negativeMaxLength() async {
        let result = await #expect(processExitsWith: .failure, observing: lastWords) {
            prepareForTrap()
            DispatchIO.read(
                fromFileDescriptor: 0, maxLength: .min, runningHandlerOn: .global()
            ) { _, _ in }
        }
        expectMessage(result, naming: "DispatchIO", "length", "\(Int.min)", "negative")
    }

    @Test("Negative water marks")
    func negativeMarks() async {
        let low = await #expect(processExitsWith: .failure, observing: lastWords) {
            prepareForTrap()
            IOTests.open(.stream, 0).channel.setLimit(lowWater: -2)
        }
        expectMessage(low, naming: "DispatchIO.setLimit", "low water", "negative")
        let high = await #expect(processExitsWith: .failure, observing: lastWords) {
            prepareForTrap()
            IOTests.open(.stream, 0).channel.setLimit(highWater: -2)
        }
        expectMessage(high, naming: "DispatchIO.setLimit", "high water", "negative")
    }

    @Test("A negative interval")
    func negativeInterval() async {
        let result = await #expect(processExitsWith: .failure, observing: lastWords) {
            prepareForTrap()
            IOTests.open(.stream, 0).channel.setInterval(interval: .seconds(-1))
        }
        expectMessage(result, naming: "DispatchIO.setInterval", "negative")
    }

    @Test("Resuming a channel that is not suspended")
    func overResume() async {
        let result = await #expect(processExitsWith: .failure, observing: lastWords) {
            prepareForTrap()
            IOTests.open(.stream, 0).channel.resume()
        }
        expectMessage(result, naming: "channel", "over-resume")
    }

    @Test("Releasing a suspended channel")
    func releaseSuspended() async {
        let result = await #expect(processExitsWith: .failure, observing: lastWords) {
            prepareForTrap()
            IOTests.open(.stream, 0).channel.suspend()
            letTimePass(milliseconds: 1000 * Patience.seconds)
        }
        expectMessage(result, naming: "channel", "released", "suspended")
    }
}
