import Testing

@testable import RingNetwork

@Suite("Reading frames")
struct FrameReaderTests {
    @Test("a frame that lies whole in the received bytes is not copied")
    func withoutCopying() throws {
        var reader = FrameReader(DelimiterFraming.lines())
        func offsets(_ text: String) throws -> [Int?] {
            try Array(text.utf8).withUnsafeBytes { bytes in
                var offsets: [Int?] = []
                try reader.receive(bytes) { frame in
                    let offset = bytes.baseAddress!.distance(to: frame.baseAddress!)
                    offsets.append(0...bytes.count ~= offset ? offset : nil)
                }
                return offsets
            }
        }
        #expect(try offsets("ab\ncd\nef") == [0, 3])
        #expect(reader.unfinishedByteCount == 2)
        // Only the frame that arrived in pieces was copied.
        #expect(try offsets("gh\nij\n") == [nil, 3])
        #expect(reader.unfinishedByteCount == 0)
        try reader.finish()
    }

    @Test("only the unfinished rest is kept")
    func rest() throws {
        var reader = FrameReader(LengthPrefixFraming(.one))
        try [2, 7, 7, 5, 1].withUnsafeByteArray { try reader.receive($0) { _ in } }
        #expect(reader.unfinishedByteCount == 2)
        var frames: [[UInt8]] = []
        try [2, 3, 4, 5, 9].withUnsafeByteArray { bytes in
            try reader.receive(bytes) { frames.append(Array($0)) }
        }
        #expect(frames == [[1, 2, 3, 4, 5]])
        #expect(reader.unfinishedByteCount == 1)
    }

    @Test("a long frame that arrived in pieces leaves little memory behind")
    func memory() throws {
        var reader = FrameReader(FixedFraming(length: 60_000))
        for _ in 0..<60 {
            try patterned(1000).withUnsafeByteArray { try reader.receive($0) { _ in } }
        }
        #expect(reader.unfinishedByteCount == 0)
        #expect(reader.kept.capacity <= 4096)
    }

    @Test("the end of the stream inside a frame is an error with the number of bytes received")
    func endInsideFrame() throws {
        var reader = FrameReader(FixedFraming(length: 4))
        try reader.finish()
        try [1, 2, 3, 4].withUnsafeByteArray { try reader.receive($0) { _ in } }
        try reader.finish()
        try [1, 2, 3].withUnsafeByteArray { try reader.receive($0) { _ in } }
        #expect(throws: FrameError.endInsideFrame(byteCount: 3)) { try reader.finish() }
        #expect(throws: FrameError.endInsideFrame(byteCount: 3)) {
            try [4].withUnsafeByteArray { try reader.receive($0) { _ in } }
        }
    }

    @Test("an error is thrown after the frames before it, and again at each later call")
    func failure() {
        var reader = FrameReader(LengthPrefixFraming(.one, maximumLength: 2))
        var frames: [[UInt8]] = []
        for _ in 0..<2 {
            #expect(throws: FrameError.tooLong(limit: 2)) {
                try [1, 5, 0, 3, 1, 6].withUnsafeByteArray { bytes in
                    try reader.receive(bytes) { frames.append(Array($0)) }
                }
            }
        }
        #expect(frames == [[5], []])
        #expect(throws: FrameError.tooLong(limit: 2)) { try reader.finish() }
    }

    private struct Planned: Error {}

    @Test("an error of the body is thrown at once, and again at each later call", arguments: 0...3)
    func failingBody(split: Int) throws {
        var reader = FrameReader(LengthPrefixFraming(.one))
        let stream: [UInt8] = [1, 5, 1, 6, 1, 7]
        var frames: [[UInt8]] = []
        func receive(_ bytes: ArraySlice<UInt8>) throws {
            try Array(bytes).withUnsafeByteArray { bytes in
                try reader.receive(bytes) { frame in
                    frames.append(Array(frame))
                    if frame[0] == 6 { throw Planned() }
                }
            }
        }
        // The second frame arrives whole, or in two pieces.
        try receive(stream[..<split])
        for _ in 0..<2 { #expect(throws: Planned.self) { try receive(stream[split...]) } }
        #expect(throws: Planned.self) {
            try reader.receive(stream.span.bytes) { (_: RawSpan) in Issue.record("a frame") }
        }
        #expect(frames == [[5], [6]])
        #expect(reader.unfinishedByteCount == 0)
        #expect(throws: Planned.self) { try reader.finish() }
        // The body of a reader of spans throws, too.
        var spans = FrameReader(LengthPrefixFraming(.one))
        #expect(throws: Planned.self) {
            try spans.receive(stream.span.bytes) { (_: RawSpan) in throw Planned() }
        }
    }

    @Test("frames of a fixed length")
    func fixed() throws {
        let framing = FixedFraming(length: 3)
        #expect(try allFrames(of: [1, 2, 3, 4, 5, 6], by: framing) == [[1, 2, 3], [4, 5, 6]])
        var output: [UInt8] = []
        try framing.append([1, 2, 3], to: &output)
        #expect(throws: FrameError.wrongLength(2, expected: 3)) {
            try framing.append([1, 2], to: &output)
        }
        #expect(output == [1, 2, 3])
    }

    @Test("spans are read and written, too")
    func spans() throws {
        let framing = LengthPrefixFraming(.one)
        var stream: [UInt8] = []
        let payload: [UInt8] = [1, 2, 3]
        try framing.append(payload.span.bytes, to: &stream)
        #expect(stream == [3, 1, 2, 3])
        var reader = FrameReader(framing)
        var frames: [[UInt8]] = []
        try reader.receive(stream.span.bytes) { (frame: RawSpan) in
            frames.append(frame.withUnsafeBytes { Array($0) })
        }
        #expect(frames == [[1, 2, 3]])
        stream[0] = 200
        var strict = FrameReader(LengthPrefixFraming(.one, maximumLength: 199))
        #expect(throws: FrameError.tooLong(limit: 199)) {
            try strict.receive(stream.span.bytes) { (_: RawSpan) in }
        }
    }

    @Test("empty input yields no frame")
    func nothing() throws {
        var reader = FrameReader(DelimiterFraming.lines())
        try reader.receive(UnsafeRawBufferPointer(start: nil, count: 0)) { _ in
            Issue.record("a frame")
        }
        try reader.finish()
    }

    @Test("a custom framing decides which bytes are delivered")
    func ownFraming() throws {
        // A frame is a run of one digit. The next, different digit ends it and is dropped.
        #expect(try allFrames(of: "1112333", by: RunFraming()).map(text) == ["111", "3"])
    }
}

private struct RunFraming: Framing {
    func nextFrame(in bytes: FrameBytes) -> FrameBounds? {
        let end = (0..<bytes.count).first { bytes[$0] != bytes[0] }
        if let end { return FrameBounds(payload: 0..<end, end: end + 1) }
        // Three make a frame that is one long.
        return bytes.count < 3 ? nil : FrameBounds(payload: 0..<1, end: 3)
    }

    func append(_ payload: RawSpan, to output: inout [UInt8]) {
        payload.withUnsafeBytes { output.append(contentsOf: $0) }
    }
}
