#if Logging
import Glibc
import Logging
import RingDispatch
import TestSupport
import Testing

@Suite("Messages in a logger", .watchdog)
struct LoggingTests {
    /// In a process of its own: the line about the back end is written once.
    @Test("The line about the back end and warnings go to the logger, and not to standard error")
    func messages() async {
        let result = await #expect(
            processExitsWith: .success, observing: [\.standardErrorContent]
        ) {
            setenv("RINGDISPATCH_LOG", "on", 1)
            let events = Watched<[String]>([])
            DispatchRuntime.setLogger(Logger(recordingInto: events))
            _ = DispatchRuntime.snapshot()
            expectEventually(events) { $0.count == 1 }
            let line = events.value.first ?? ""
            #expect(line.hasPrefix("info RingDispatch "), "\(line)")
            #expect(line.contains("back end"), "\(line)")
        }
        let output = result.map { String(decoding: $0.standardErrorContent, as: UTF8.self) }
        #expect(output?.contains("back end") == false, "\(output ?? "")")
    }

    @Test("A warning goes to the logger, and without one to standard error again")
    func warning() async {
        await #expect(processExitsWith: .success) {
            setenv("RINGDISPATCH_STALLS", "10", 1)
            let events = Watched<[String]>([])
            DispatchRuntime.setLogger(Logger(recordingInto: events))
            let isReported = Gate()
            DispatchQueue(label: "slow").async { isReported.pass() }
            expectEventually(events) { events in
                events.contains { $0.hasPrefix("warning RingDispatch ") && $0.contains("slow") }
            }
            isReported.open()

            DispatchRuntime.setLogger(nil)
            var pipe: [Int32] = [-1, -1]
            #expect(Glibc.pipe(&pipe) == 0 && dup2(pipe[1], 2) == 2)
            let isWritten = Gate()
            DispatchQueue(label: "slower").async { isWritten.pass() }
            var text = ""
            while !text.contains("slower") { text += try #require(readText(pipe[0])) }
            #expect(text.hasPrefix("RingDispatch: "), "\(text)")
            isWritten.open()
            #expect(!events.value.contains { $0.contains("slower") })
        }
    }
}

/// What can be read now or soon; nil after the usual patience.
private func readText(_ descriptor: Int32) -> String? {
    var wait = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    guard Glibc.poll(&wait, 1, Int32(Patience.seconds) * 1000) == 1 else { return nil }
    var bytes = [UInt8](repeating: 0, count: 4096)
    let count = read(descriptor, &bytes, bytes.count)
    return count > 0 ? String(decoding: bytes[..<count], as: UTF8.self) : nil
}
#endif
