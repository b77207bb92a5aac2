import FlyingFox
import Foundation
import Logging
import RingHTTP

/// Writes log messages as lines of JSON.
struct JSONLog: LogHandler {
    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.notice

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        let all = metadata.merging(event.metadata ?? [:]) { $1 }
        LogLine(
            level: event.level.rawValue, message: event.message.description,
            metadata: all.isEmpty ? nil : all.mapValues(\.description)
        ).write()
    }
}

/// Writes a line for each request: until the answer's body begins.
struct LoggedRequests: HTTPHandler {
    let handler: BodyReadingHTTPHandler

    func handleRequest(_ request: HTTPRequest) async -> HTTPResponse {
        let start = ContinuousClock.now
        let response = await handler.handleRequest(request)
        let microseconds = (ContinuousClock.now - start) / .microseconds(1)
        LogLine(
            level: "info", method: request.method.rawValue, path: request.path,
            status: response.statusCode.code, milliseconds: (microseconds / 10).rounded() / 100
        ).write()
        return response
    }
}

/// A line of the log. What is nil is left out.
private struct LogLine: Encodable {
    let time = Date()
    let level: String
    var message, method, path: String?
    var metadata: [String: String]?
    var status: Int?
    var milliseconds: Double?

    /// One write(2) for each line, so that lines of several threads do not mix.
    func write() {
        // Who no longer reads the log does not end the server.
        try? FileHandle.standardOutput.write(contentsOf: Data("\(json(self))\n".utf8))
    }
}
