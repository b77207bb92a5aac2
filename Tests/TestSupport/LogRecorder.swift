#if Logging
package import Logging

extension Logger {
    /// A logger that appends each message, with its level and source, to an array.
    package init(recordingInto events: Watched<[String]>) {
        self.init(label: "test") { _ in LogRecorder(events: events) }
    }
}

private struct LogRecorder: LogHandler {
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
