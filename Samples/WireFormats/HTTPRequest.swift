/// The head of an HTTP request. RFC 9112.
package struct HTTPRequest: Sendable {
    package let method: String
    package let path: String
    /// The text after the path's `?`, still percent-encoded; empty without one.
    package let query: String
    package let head: HTTPHead
    /// Whether the connection stays open for further requests.
    package let keepsAlive: Bool

    /// The longest head that a server accepts, in bytes.
    package static let headLimit = 8 * 1024

    /// - Parameter bytes: the lines before the empty one.
    /// - Returns: nil unless they are a request of HTTP/1.0 or 1.1.
    package init?(head bytes: [UInt8]) {
        guard let head = try? HTTPHead(bytes) else { return nil }
        let words = String(decoding: head.firstLine, as: UTF8.self)
            .split(separator: " ", omittingEmptySubsequences: false)
        guard words.count == 3, words[1].first == "/",
            words[2] == "HTTP/1.1" || words[2] == "HTTP/1.0"
        else { return nil }
        method = String(words[0])
        path = String(words[1].prefix { $0 != "?" })
        query = String(words[1].dropFirst(path.count).dropFirst())
        self.head = head
        // The servers do not read bodies: the body's bytes would be parsed as the next request.
        let hasBody = head["transfer-encoding"] != nil || head.text("content-length") ?? "0" != "0"
        keepsAlive = head.keepsAlive(isOld: words[2] == "HTTP/1.0") && !hasBody
    }
}
