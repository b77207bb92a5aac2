import Glibc
import LinuxPlatform
import RingDispatch
import Testing

/// In child processes: the runtime's first line is written once.
@Suite("A receiver of log lines that uses a queue")
struct LogReceiverTests {
    @Test("The first use of a queue does not wait for the line about the back end")
    func backEnd() async {
        await #expect(processExitsWith: .success) {
            prepareForTrap()
            setenv("RINGDISPATCH_LOG", "on", 1)
            let queue = DispatchQueue(label: "log")
            let lines = Watched<[String]>([])
            Diagnostics.setReceiver { _, line in queue.sync { lines.append(line) } }
            drain(queue)
            expectEventually(lines) { $0.contains { $0.contains("back end") } }
        }
    }

    @Test("Nor does background work wait for the line that says it has no threads of its own")
    func background() async {
        await #expect(processExitsWith: .success) {
            prepareForTrap()
            setenv("RINGDISPATCH_LOG", "off", 1)
            let queue = DispatchQueue(label: "log", qos: .background)
            let lines = Watched<[String]>([])
            Diagnostics.setReceiver { _, line in queue.sync { lines.append(line) } }
            drain(DispatchQueue(label: "first"))
            letTasksHaveTheirDescriptors()
            let none = dup(STDIN_FILENO)
            close(none)
            var few = rlimit(rlim_cur: rlim_t(none), rlim_max: 4096)
            setrlimit(__rlimit_resource_t(7), &few)  // RLIMIT_NOFILE, whose enumerator is missing
            drain(queue)
            endProcess(
                succeedingIf: lines.wait(seconds: Patience.seconds) { lines in
                    lines.contains { $0.contains("background work") }
                })
        }
    }
}
