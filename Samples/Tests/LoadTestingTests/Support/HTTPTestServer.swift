import RingNetwork

/// An HTTP/1.1 server that responds with the request's body and counts requests by method. Except
/// for `counts`, it runs on the target queue of the server's connections.
final class HTTPTestServer: @unchecked Sendable {
    // Safety: only the connection's queue touches its `requests`.
    let counts = Watched<[String: Int]>([:])

    /// The server's connection handler.
    /// - Parameter limit: the last response announces the end, and later requests are dropped.
    func serve(_ connection: Connection, requestsPerConnection limit: Int = .max) {
        let requests = Requests()
        connection.setReceiveHandler { [self] connection, span in
            requests.bytes += span.withUnsafeBytes { Array($0) }
            while requests.count < limit, let request = requests.next() {
                counts.update { $0[request.method, default: 0] += 1 }
                let end = requests.count == limit ? "Connection: close\r\n" : ""
                let head =
                    "HTTP/1.1 200 OK\r\n\(end)Content-Length: \(request.body.count)\r\n\r\n"
                connection.send(Array(head.utf8) + request.body)
                if requests.count == limit { connection.closeOutput() }
            }
        }
    }

    /// The bytes of a client that are not answered yet.
    private final class Requests {
        var bytes: [UInt8] = []
        private(set) var count = 0

        func next() -> (method: String, body: [UInt8])? {
            let end = Array("\r\n\r\n".utf8)
            guard let range = bytes.firstRange(of: end) else { return nil }
            let start = range.upperBound
            let head = String(decoding: bytes[..<range.lowerBound], as: UTF8.self)
            let lines = head.split(separator: "\r\n")
            let field = "Content-Length: "
            let length = lines.first { $0.hasPrefix(field) }.flatMap {
                Int($0.dropFirst(field.count))
            }
            let body = bytes[start...].prefix(length ?? 0)
            guard body.count == length ?? 0 else { return nil }
            count += 1
            defer { bytes.removeFirst(start + body.count) }
            return (String(lines[0].prefix { $0 != " " }), Array(body))
        }
    }
}
