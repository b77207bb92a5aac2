/// The head of a request that asks for something: its method and its path. RFC 9112.
package struct HTTPRequest: Sendable, Equatable {
    package let method: String
    /// Without the query.
    package let path: String
    /// What follows the path's `?`, as it came; empty without one.
    package let query: String
    private let fields: [String: String]
    /// Whether the connection is to stay for further requests.
    package let keepsAlive: Bool

    /// The longest head that is read.
    package static let headLimit = 8 * 1024

    /// - Parameter head: the lines up to the empty one.
    /// - Returns: nil when that is no request of HTTP/1.0 or 1.1.
    package init?(head: String) {
        let lines = head.split(whereSeparator: \.isNewline)
        guard let line = lines.first else { return nil }
        let words = line.split(separator: " ", omittingEmptySubsequences: false)
        guard words.count == 3, words[1].first == "/",
            words[2] == "HTTP/1.1" || words[2] == "HTTP/1.0"
        else { return nil }
        var fields: [String: String] = [:]
        for field in lines.dropFirst() {
            guard let colon = field.firstIndex(of: ":") else { return nil }
            let value = field[field.index(after: colon)...].drop { $0 == " " || $0 == "\t" }
            fields[field[..<colon].lowercased()] = value.lowercased()
        }
        method = String(words[0])
        path = String(words[1].prefix { $0 != "?" })
        query = String(words[1].dropFirst(path.count).dropFirst())
        self.fields = fields
        let connection = fields["connection"] ?? ""
        let isWanted =
            words[2] == "HTTP/1.1"
            ? !connection.contains("close") : connection.contains("keep-alive")
        // A body, which nobody reads here, would be taken for the next request.
        let hasBody = fields["transfer-encoding"] != nil || fields["content-length"] ?? "0" != "0"
        keepsAlive = isWanted && !hasBody
    }

    /// A header field's value in lower case; nil: there is no such field.
    /// - Parameter name: in lower case.
    package func field(_ name: String) -> String? { fields[name] }
}
