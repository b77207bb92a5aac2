import RingNetwork
import Testing

@Suite("Frames that end with a delimiter")
struct DelimiterFramingTests {
    @Test("lines end with LF or CRLF, and one CR belongs to the end")
    func lines() throws {
        let frames = try allFrames(of: "a\nb\r\n\n\r\nc\r\r\nd\re\n", by: DelimiterFraming.lines())
        #expect(frames.map(text) == ["a", "b", "", "", "c\r", "d\re"])
    }

    @Test("without the option a CR stays")
    func carriageReturn() throws {
        let frames = try allFrames(of: "a\r\nb\n", by: DelimiterFraming(UInt8(ascii: "\n")))
        #expect(frames.map(text) == ["a\r", "b"])
    }

    @Test(
        "the first whole delimiter ends a frame",
        arguments: [
            ("\r\n", "a\rb\nc\r\r\nd\r\n", ["a\rb\nc\r", "d"]),
            ("aab", "aaab" + "aab" + "aaaab", ["a", "", "aa"]),
            ("aa", "aaaa" + "baa", ["", "", "b"]),
            ("--end-of-this---", "--end-of-thi--end-of-this---", ["--end-of-thi"]),
            ("\0", "a\0\0", ["a", ""]),
        ])
    func delimiters(delimiter: String, stream: String, expected: [String]) throws {
        let framing = DelimiterFraming(Array(delimiter.utf8))
        #expect(try allFrames(of: stream, by: framing).map(text) == expected)
        // Byte by byte, so that the delimiter is split, too.
        #expect(try allFrames(of: stream, by: framing, pieces: 1).map(text) == expected)
    }

    @Test("the longest payload passes, one byte more does not", arguments: [1, 2, 3, 100])
    func maximum(pieces: Int) throws {
        let cases: [(DelimiterFraming, String)] = [
            (DelimiterFraming(UInt8(ascii: "\n"), maximumLength: 4), "\n"),
            (DelimiterFraming(Array("\r\n".utf8), maximumLength: 4), "\r\n"),
            (DelimiterFraming.lines(maximumLength: 4), "\n"),
            (DelimiterFraming.lines(maximumLength: 4), "\r\n"),
        ]
        for (framing, end) in cases {
            let good = "abcd" + end + "e" + end
            #expect(
                try allFrames(of: good, by: framing, pieces: pieces).map(text) == ["abcd", "e"])
            #expect(throws: FrameError.tooLong(limit: 4)) {
                try allFrames(of: "abcde" + end, by: framing, pieces: pieces)
            }
        }
    }

    @Test("a peer that sends no delimiter is refused soon after the limit")
    func endless() {
        var reader = FrameReader(DelimiterFraming.lines(maximumLength: 10))
        var sent = 0
        #expect(throws: FrameError.tooLong(limit: 10)) {
            while true {
                try [UInt8(ascii: "x")].withUnsafeBytes { try reader.receive($0) { _ in } }
                sent += 1
            }
        }
        #expect(sent <= 12)
        #expect(reader.unfinishedByteCount == 0)
    }

    @Test("each byte is scanned once, however the stream is split", .watchdog)
    func linear() throws {
        // If each piece restarted the search, the watchdog would fire.
        let length = 400_000
        let framing = DelimiterFraming(Array("\r\n".utf8), maximumLength: length)
        var reader = FrameReader(framing)
        let piece = [UInt8](repeating: UInt8(ascii: "\r"), count: 4)
        for _ in 0..<(length / piece.count) {
            try piece.withUnsafeBytes { try reader.receive($0) { _ in Issue.record("a frame") } }
        }
        var counts: [Int] = []
        try [UInt8(ascii: "\n")].withUnsafeBytes { bytes in
            try reader.receive(bytes) { counts.append($0.count) }
        }
        #expect(counts == [length - 1])
    }

    @Test("a payload is written with the delimiter behind it")
    func writing() throws {
        var output = Array("before".utf8)
        try DelimiterFraming.lines().append(Array("a".utf8), to: &output)
        try DelimiterFraming(Array("\r\n".utf8)).append(Array("b\r".utf8), to: &output)
        #expect(text(output) == "beforea\nb\r\r\n")
    }

    @Test(
        "a payload that would be read back differently is rejected, and nothing is written",
        arguments: [
            ("\n", "a\nb", 1), ("\r\n", "a\r\nb", 1), ("aa", "xa", 1), ("aab", "aaba", 0),
            ("abab", "xab", 1),
        ])
    func refused(delimiter: String, payload: String, offset: Int) {
        var output: [UInt8] = [1]
        #expect(throws: FrameError.delimiterInPayload(offset: offset)) {
            try DelimiterFraming(Array(delimiter.utf8)).append(Array(payload.utf8), to: &output)
        }
        #expect(output == [1])
        #expect(throws: FrameError.delimiterInPayload(offset: 1)) {
            try DelimiterFraming.lines().append(Array("a\r".utf8), to: &output)
        }
        #expect(throws: FrameError.tooLong(limit: 2)) {
            try DelimiterFraming.lines(maximumLength: 2).append(Array("abc".utf8), to: &output)
        }
        #expect(output == [1])
    }
}
