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
            DispatchRuntime.setLogger(Logger(label: "test") { _ in Recorder(events: events) })
            _ = DispatchRuntime.snapshot()
            expectEventually(events) { $0.count == 1 }
            let line = events.value.first ?? ""
            #expect(line.hasPrefix("info RingDispatch "), "\(line)")
            #expect(line.contains("back end"), "\(line)")
        }
        let output = result.map { String(decoding: $0.standardErrorContent, as: UTF8.self) }
        #expect(output?.contains("back end") == false, "\(output ?? "")")
    }
}

private struct Recorder: LogHandler {
    let events: Watched<[String]>
    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.trace

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        events.append("\(event.level) \(event.source) \(event.message)")
    }
}
#endif
