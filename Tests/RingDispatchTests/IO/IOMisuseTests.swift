import Glibc
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
                fromFileDescriptor: 0, maxLength: -1, runningHandlerOn: .global()
            ) { _, _ in }
        }
        expectMessage(result, naming: "DispatchIO", "length", "-1", "negative")
    }

    @Test("A negative offset of a random channel")
    func negativeOffset() async {
        let folder = Folder()
        let result = await #expect(processExitsWith: .failure, observing: lastWords) {
            [path = folder.path as String] in
            prepareForTrap()
            let folder = Folder(borrowing: path)
            let descriptor = open(folder.makeFile("file", [1]), O_RDWR)
            let (channel, _) = IOTests.open(.random, descriptor)
            channel.write(offset: -7, data: copied([1]), queue: .global()) { _, _, _ in }
        }
        expectMessage(result, naming: "DispatchIO.write", "offset", "-7", "negative")
    }

    @Test("Negative water marks")
    func negativeMarks() async {
        let low = await #expect(processExitsWith: .failure, observing: lastWords) {
            prepareForTrap()
            IOTests.open(.stream, 0).channel.setLimit(lowWater: -1)
        }
        expectMessage(low, naming: "DispatchIO.setLimit", "low water", "negative")
        let high = await #expect(processExitsWith: .failure, observing: lastWords) {
            prepareForTrap()
            IOTests.open(.stream, 0).channel.setLimit(highWater: -1)
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
            letTimePass(milliseconds: 1000)
        }
        expectMessage(result, naming: "channel", "released", "suspended")
    }
}
