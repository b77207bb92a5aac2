import RingNetwork

/// An HTTP/1.1 server that responds with the request's body and counts requests by method. Except
/// for `counts`, it runs on the target queue of the server's connections.
final class HTTPTestServer: @unchecked Sendable {
    // Safety: only the connection's queue touches its `requests`.
    let counts = Watched<[String: Int]>([:])

    /// The server's connection handler.
    func serve(_ connection: Connection) {
        let requests = Requests()
        connection.setReceiveHandler { [self] connection, span in
            requests.bytes += span.withUnsafeBytes { Array($0) }
            while let request = requests.next() {
                counts.update { $0[request.method, default: 0] += 1 }
                let head = "HTTP/1.1 200 OK\r\nContent-Length: \(request.body.count)\r\n\r\n"
                connection.send(Array(head.utf8) + request.body)
            }
        }
    }

    /// The bytes of a client that are not answered yet.
    private final class Requests {
        var bytes: [UInt8] = []

        func next() -> (method: String, body: [UInt8])? {
            let end = Array("\r\n\r\n".utf8)
            guard let range = bytes.firstRange(of: end) else { return nil }
            let length = range.lowerBound
            let lines = String(decoding: bytes[..<length], as: UTF8.self).split(separator: "\r\n")
            let field = "Content-Length: "
            let count = lines.first { $0.hasPrefix(field) }.flatMap {
                Int($0.dropFirst(field.count))
            }
            let body = bytes[(length + end.count)...].prefix(count ?? 0)
            guard body.count == count ?? 0 else { return nil }
            defer { bytes.removeFirst(length + end.count + body.count) }
            return (String(lines[0].prefix { $0 != " " }), Array(body))
        }
    }
}
