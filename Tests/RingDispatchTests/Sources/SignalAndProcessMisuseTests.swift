import Glibc
import RingDispatch
import Testing

@Suite("Misuse of signal and process sources traps with a message", .serialized)
struct SignalAndProcessMisuseTests {
    @Test("65. Asking for forks and execs says that Linux does not tell")
    func forkAndExec() async {
        let result = await #expect(processExitsWith: .failure, observing: lastWords) {
            prepareForTrap()
            _ = DispatchSource.makeProcessSource(
                identifier: getpid(), eventMask: [.exit, .fork, .exec])
        }
        expectMessage(
            result, naming: ".fork and .exec", "ptrace", "CAP_NET_ADMIN", "ask for .exit alone")
    }

    @Test("65. Asking for signals says that Linux does not tell")
    func signals() async {
        let result = await #expect(processExitsWith: .failure, observing: lastWords) {
            prepareForTrap()
            _ = DispatchSource.makeProcessSource(identifier: getpid(), eventMask: .signal)
        }
        expectMessage(result, naming: "asks for .signal", "CAP_NET_ADMIN")
    }

    @Test("65. A process source needs an event to wait for")
    func nothing() async {
        let result = await #expect(processExitsWith: .failure, observing: lastWords) {
            prepareForTrap()
            _ = DispatchSource.makeProcessSource(identifier: getpid(), eventMask: [])
        }
        expectMessage(result, naming: "has to be .exit")
    }

    @Test("63. A signal that no program can handle")
    func kill() async {
        let result = await #expect(processExitsWith: .failure, observing: lastWords) {
            prepareForTrap()
            _ = DispatchSource.makeSignalSource(signal: SIGKILL)
        }
        expectMessage(result, naming: "signal 9", "SIGKILL")
    }

    @Test("63. A signal that a fault raises")
    func fault() async {
        let result = await #expect(processExitsWith: .failure, observing: lastWords) {
            prepareForTrap()
            _ = DispatchSource.makeSignalSource(signal: SIGSEGV)
        }
        expectMessage(result, naming: "signal 11", "fault")
    }

    @Test("63. A signal of the C library's own")
    func reserved() async {
        let result = await #expect(processExitsWith: .failure, observing: lastWords) {
            prepareForTrap()
            _ = DispatchSource.makeSignalSource(signal: 32)
        }
        expectMessage(result, naming: "signal 32", "C library")
    }

    @Test("63. Numbers that are no signal's")
    func numbers() async {
        let zero = await #expect(processExitsWith: .failure, observing: lastWords) {
            prepareForTrap()
            _ = DispatchSource.makeSignalSource(signal: 0)
        }
        expectMessage(zero, naming: "signal 0", "1 to 64")
        let beyond = await #expect(processExitsWith: .failure, observing: lastWords) {
            prepareForTrap()
            _ = DispatchSource.makeSignalSource(signal: 65)
        }
        expectMessage(beyond, naming: "signal 65", "1 to 64")
    }
}
