import RingNetwork
import Testing

/// A stream yields the same frames and the same end, however it is split.
@Suite("Any split of a stream gives the same frames")
struct FrameSplitTests {
    /// The result of reading a whole stream.
    private struct Outcome: Equatable {
        var frames: [[UInt8]] = []
        var error: FrameError?
    }

    private func outcome(
        of stream: [UInt8], by framing: some Framing, lengths: () -> Int
    ) -> Outcome {
        var reader = FrameReader(framing)
        var outcome = Outcome()
        var rest = stream[...]
        do {
            while !rest.isEmpty {
                let piece = Array(rest.prefix(lengths()))
                rest = rest.dropFirst(piece.count)
                try reader.receive(piece.span.bytes) { (frame: RawSpan) in
                    outcome.frames.append(frame.withUnsafeBytes { Array($0) })
                }
            }
            try reader.finish()
        } catch {
            outcome.error = error as? FrameError
        }
        return outcome
    }

    /// Reads the stream whole, byte by byte and in random pieces.
    private func check(
        _ stream: [UInt8], by framing: some Framing, _ generator: inout SeededGenerator
    ) -> Outcome {
        let whole = outcome(of: stream, by: framing) { stream.count }
        let bytewise = outcome(of: stream, by: framing) { 1 }
        if bytewise != whole { Issue.record("\(framing): \(stream)") }
        for most in [2, 3, 8, 100] {
            var lengths = generator
            _ = generator.next()
            let parts = outcome(of: stream, by: framing) {
                Int.random(in: 0...most, using: &lengths)
            }
            if parts != whole { Issue.record("\(framing), at most \(most): \(stream)") }
        }
        return whole
    }

    private func randomBytes(
        _ most: Int, of alphabet: [UInt8], _ generator: inout SeededGenerator
    ) -> [UInt8] {
        (0..<Int.random(in: 0...most, using: &generator)).map { _ in
            alphabet.randomElement(using: &generator)!
        }
    }

    private func randomFraming(_ generator: inout SeededGenerator) -> any Framing {
        let maximum = [0, 1, 5, 40, 65_536].randomElement(using: &generator)!
        switch Int.random(in: 0...3, using: &generator) {
        case 0:
            let delimiter = randomBytes(4, of: Array("ab\r\n".utf8), &generator)
            return DelimiterFraming(
                delimiter.isEmpty ? [UInt8(ascii: "\n")] : delimiter,
                stripsCarriageReturn: Bool.random(using: &generator), maximumLength: maximum)
        case 1: return DelimiterFraming.lines(maximumLength: maximum)
        case 2: return FixedFraming(length: Int.random(in: 1...9, using: &generator))
        default:
            return LengthPrefixFraming(
                LengthPrefixFraming.Width.allCases.randomElement(using: &generator)!,
                byteOrder: Bool.random(using: &generator) ? .bigEndian : .littleEndian,
                countsItself: Bool.random(using: &generator), maximumLength: maximum)
        }
    }

    @Test("random bytes never trap", arguments: 1...8)
    func randomStreams(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var frames = 0
        var errors = 0
        for _ in 0..<200 {
            let all: [UInt8] = Array("aab\r\n\r\n".utf8)
            let small: [UInt8] = [0, 0, 0, 0, 1, 2, 3, 9, 255]
            let alphabet = Bool.random(using: &generator) ? all : small
            let stream = randomBytes(60, of: alphabet, &generator)
            let outcome = check(stream, by: randomFraming(&generator), &generator)
            frames += outcome.frames.count
            errors += outcome.error == nil ? 0 : 1
        }
        #expect(frames > 50 && errors > 50)
    }

    @Test("written frames are read back", arguments: 1...8)
    func written(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var count = 0
        for _ in 0..<200 {
            let framing = randomFraming(&generator)
            var stream: [UInt8] = []
            var payloads: [[UInt8]] = []
            for _ in 0..<8 {
                let payload = randomBytes(50, of: Array("ab\r\ncdefgh".utf8), &generator)
                let before = stream
                do {
                    try framing.append(payload, to: &stream)
                    payloads.append(payload)
                } catch {
                    // Rejected, because it would not be read back unchanged.
                    #expect(stream == before)
                }
            }
            count += payloads.count
            #expect(check(stream, by: framing, &generator) == Outcome(frames: payloads))
        }
        #expect(count > 200)
    }
}
