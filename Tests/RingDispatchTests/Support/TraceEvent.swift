import Foundation

/// An event of a trace, as a viewer reads it.
struct TraceEvent: Decodable {
    let name: String
    let cat: String
    let ph: String
    let ts: Double
    let dur: Double?
    let pid: Int32
    let tid: Int32

    private struct File: Decodable {
        let traceEvents: [TraceEvent]
    }

    static func all(_ text: String) throws -> [TraceEvent] {
        try JSONDecoder().decode(File.self, from: Data(text.utf8)).traceEvents
    }

    static func all(inFile path: String) throws -> [TraceEvent] {
        try all(String(contentsOfFile: path, encoding: .utf8))
    }

    /// A path for a trace of this process.
    static var file: String {
        FileManager.default.temporaryDirectory.path + "/ringdispatch-trace-\(getpid()).json"
    }
}
