/// Requests that differ from valid ones in a few bytes or lines.
struct MutatedRequests: Sequence, IteratorProtocol {
    private var generator: SeededGenerator

    init(seed: UInt64) { generator = SeededGenerator(seed: seed) }

    private static let valid = [
        "GET / HTTP/1.1\r\nHost: localhost",
        "HEAD /events?since=5&glob=*.swift HTTP/1.1\r\nhost: [::1]:8088\r\nLast-Event-ID: 7",
        "GET /a HTTP/1.0\r\nConnection: keep-alive\r\nX-Empty:\r\nX-A:\t b \u{e4} \t",
        "POST /b%20c HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 0\r\nAccept: */*;q=0.1",
        "PUT /d HTTP/1.1\r\nTransfer-Encoding: chunked\r\nHost: a.example:80\r\nCookie: a=\"b\"",
        "OPTIONS * HTTP/1.1\r\nHost: a",
    ].map { Array($0.utf8) }
    private static let fragments = [
        "\r\n", "\r\n ", "\r\n\r\n", "\r\nHost: a", "\r\nHost : a", "\r\nContent-Length: 1", "\n",
        "\r\nTransfer-Encoding: chunked", "\u{85}", "\u{2028}", " ", "\t", ":", ",", "HTTP/1.1",
        "HTTP/1.0", "\0", "\u{b}", "\u{c}", "\u{7f}", "0", "1, 1", "+1", "GET", "/", "@", "%41",
    ].map { Array($0.utf8) }

    mutating func next() -> [UInt8]? {
        var bytes = Self.valid.randomElement(using: &generator) ?? []
        for _ in 1...Int.random(in: 1...3, using: &generator) { mutate(&bytes) }
        return bytes
    }

    private mutating func mutate(_ bytes: inout [UInt8]) {
        let place = Int.random(in: 0...bytes.count, using: &generator)
        let length = Int.random(in: 0...4, using: &generator)
        let end = Swift.min(bytes.count, place + length)
        switch Int.random(in: 0..<5, using: &generator) {
        case 0: bytes.insert(.random(in: .min ... .max, using: &generator), at: place)
        case 1: bytes.removeSubrange(place..<end)
        case 2: bytes.insert(contentsOf: bytes[place..<end], at: place)
        case 3:
            bytes.replaceSubrange(
                place..<end, with: Self.fragments.randomElement(using: &generator) ?? [])
        default:
            if place < bytes.count { bytes[place] = .random(in: .min ... .max, using: &generator) }
        }
    }
}
