import FlyingFox
import Foundation
import Logging
import RingHTTP

/// Log messages and requests, as lines of JSON on standard output.
struct JSONLog: LogHandler {
    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.notice

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        JSONLog.write(Message(level: event.level.rawValue, message: event.message.description))
    }

    private struct Message: Encodable {
        let time = Date()
        let level: String
        let message: String
    }

    /// One write(2) for each line, so that lines of several threads do not mix.
    static func write(_ line: some Encodable) {
        let encoder = JSONEncoder()
        encoder.dateEncodingStrategy = .iso8601
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        guard let bytes = try? encoder.encode(line) else { return }
        // Who no longer reads the log does not end the server.
        try? FileHandle.standardOutput.write(contentsOf: bytes + [UInt8(ascii: "\n")])
    }
}

/// Writes a line for each request: until the answer's body begins.
struct LoggedRequests: HTTPHandler {
    let handler: BodyReadingHTTPHandler

    func handleRequest(_ request: HTTPRequest) async -> HTTPResponse {
        let start = ContinuousClock.now
        let response = await handler.handleRequest(request)
        write(request, response.statusCode.code, since: start)
        return response
    }

    private struct Line: Encodable {
        let time = Date()
        let level = "info"
        let method: String
        let path: String
        let status: Int
        let milliseconds: Double
    }

    private func write(_ request: HTTPRequest, _ status: Int, since start: ContinuousClock.Instant)
    {
        let microseconds = (ContinuousClock.now - start) / .microseconds(1)
        JSONLog.write(
            Line(
                method: request.method.rawValue, path: request.path, status: status,
                milliseconds: (microseconds / 10).rounded() / 100))
    }
}
