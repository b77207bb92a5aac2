/// The head of an HTTP request. RFC 9112.
package struct HTTPRequest: Sendable {
    package let method: String
    /// The path and the query as sent, percent-encoded; `*` for `OPTIONS *`.
    package let target: String
    /// The name of the host that the client asked, in lower case, without a port; nil in HTTP/1.0
    /// without a Host field. The host of an absolute target replaces that of the field.
    package let host: String?
    package let head: HTTPHead
    /// Whether the connection stays open for further requests.
    package let keepsAlive: Bool
    /// Whether a body follows the head.
    package let hasBody: Bool

    /// The longest head that a server accepts, in bytes.
    package static let headLimit = 8 * 1024

    package var path: String { String(target.prefix { $0 != "?" }) }

    /// The text after the path's `?`; empty without one.
    package var query: String { String(target.drop { $0 != "?" }.dropFirst()) }

    /// - Parameter bytes: the lines before the empty one.
    /// - Returns: nil unless they are a request of HTTP/1.0 or 1.1 for a path, or `OPTIONS *`.
    package init?(head bytes: [UInt8]) {
        // RFC 9112 allows LF alone, too. Without it there is only one reading of where a head ends.
        let hasBareLF = zip([0] + bytes, bytes).contains { $1 == 0x0a && $0 != 0x0d }
        guard !hasBareLF, let head = try? HTTPHead(bytes) else { return nil }
        let words = head.firstLine.split(
            separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
        guard words.count == 3, HTTPHead.isToken(words[0]),
            words[1].allSatisfy({ 0x21...0x7e ~= $0 })
        else { return nil }
        method = String(decoding: words[0], as: UTF8.self)
        let (authority, target) = Self.split(words[1])
        let concernsServer = method == "OPTIONS" && target.elementsEqual("*".utf8)
        guard target.first == UInt8(ascii: "/") || concernsServer else { return nil }
        self.target = String(decoding: target, as: UTF8.self)
        let isOld = words[2].elementsEqual("HTTP/1.0".utf8)
        guard isOld || words[2].elementsEqual("HTTP/1.1".utf8) else { return nil }
        // With two hosts, a proxy may check one of them and the server use the other.
        let hosts = head.values("host")
        guard hosts.count == 1 || isOld && hosts.isEmpty else { return nil }
        // The field is checked even if the target's authority counts.
        let names = (hosts + [authority].compactMap { $0 }).map { HTTPHost($0)?.name }
        guard !names.contains(nil), authority == nil || names.last != "",
            let hasBody = Self.hasBody(head, isOld)
        else { return nil }
        host = names.last ?? nil
        self.head = head
        self.hasBody = hasBody
        // The servers do not read bodies: the body's bytes would be parsed as the next request.
        keepsAlive = head.keepsAlive(isOld: isOld) && !hasBody
    }

    /// The authority of an absolute target, and the rest with a path. RFC 9112, 3.2.2.
    private static func split(
        _ target: ArraySlice<UInt8>
    ) -> (authority: ArraySlice<UInt8>?, rest: ArraySlice<UInt8>) {
        let scheme = Array("http://".utf8)
        let start = target.prefix(scheme.count)
        guard start.elementsEqual(scheme, by: { HTTPHead.lowercased($0) == $1 }) else {
            return (nil, target)
        }
        let slash = UInt8(ascii: "/")
        let authority = target[start.endIndex...].prefix { $0 != slash && $0 != UInt8(ascii: "?") }
        let rest = target[authority.endIndex...]
        return (authority, rest.first == slash ? rest : [slash] + rest)
    }

    /// Nil if the length is invalid or ambiguous. RFC 9112, 6.
    private static func hasBody(_ head: HTTPHead, _ isOld: Bool) -> Bool? {
        let lengths = head.values("content-length")
        let codings = head.values("transfer-encoding")
        guard let coding = codings.first else {
            guard let length = lengths.first else { return false }
            guard lengths.count == 1, let length = Int(digits: length) else { return nil }
            return length > 0
        }
        let isChunked = coding.elementsEqual("chunked".utf8) { HTTPHead.lowercased($0) == $1 }
        return isChunked && codings.count == 1 && lengths.isEmpty && !isOld ? true : nil
    }
}
