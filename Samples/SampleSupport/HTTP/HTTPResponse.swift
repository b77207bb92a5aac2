internal import WireFormats

/// An HTTP response with a text body. RFC 9110.
package struct HTTPResponse: Sendable {
    private let status: Status
    private let contentType: String
    private let fields: String
    private let body: String?

    package enum Status: String, Sendable {
        case ok = "200 OK"
        case badRequest = "400 Bad Request"
        case forbidden = "403 Forbidden"
        case notFound = "404 Not Found"
        case methodNotAllowed = "405 Method Not Allowed"
        case headTooLarge = "431 Request Header Fields Too Large"
        case unavailable = "503 Service Unavailable"
    }

    /// - Parameter body: if empty, the status line's text is sent instead. nil, for the head
    ///   alone: the response to GET is a stream, whose length is not known.
    /// - Parameter fields: further lines of the head, each with its line end.
    package init(
        _ status: Status, _ body: String? = "", contentType: String = "text/plain; charset=utf-8",
        fields: String = ""
    ) {
        self.status = status
        self.contentType = contentType
        self.fields = fields
        self.body = body == "" ? status.rawValue + "\n" : body
    }

    /// - Parameter hasBody: false for a response to HEAD.
    package func bytes(keepsAlive: Bool, hasBody: Bool) -> [UInt8] {
        // RFC 9110, 5.6.7.
        let date = utcTime("%a, %d %b %Y %H:%M:%S GMT")
        let head = """
            HTTP/1.1 \(status.rawValue)\r
            Date: \(date)\r
            Content-Type: \(contentType)\r
            \(body.map { "Content-Length: \($0.utf8.count)\r\n" } ?? "")Cache-Control: no-store\r
            Connection: \(keepsAlive ? "keep-alive" : "close")\r
            \(fields)\r

            """
        return Array((hasBody ? head + (body ?? "") : head).utf8)
    }
}
