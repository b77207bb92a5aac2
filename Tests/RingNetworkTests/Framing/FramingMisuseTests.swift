import RingNetwork
import Testing

@Suite("Misuse of framings traps", .serialized)
struct FramingMisuseTests {
    @Test("a delimiter without bytes")
    func emptyDelimiter() async {
        let result = await #expect(processExitsWith: .failure, observing: lastWords) {
            prepareForTrap()
            _ = DelimiterFraming([])
        }
        expectMessage(result, naming: "DelimiterFraming", "0 bytes")
    }

    @Test("frames without bytes")
    func zeroLength() async {
        let result = await #expect(processExitsWith: .failure, observing: lastWords) {
            prepareForTrap()
            _ = FixedFraming(length: 0)
        }
        expectMessage(result, naming: "FixedFraming", "length 0")
    }

    @Test("writing with a framing that is only read")
    func noAppend() async {
        let result = await #expect(processExitsWith: .failure, observing: lastWords) {
            prepareForTrap()
            struct ReadOnly: Framing {
                func nextFrame(in bytes: FrameBytes) -> FrameBounds? {
                    FrameBounds(payload: 0..<1, end: 1)
                }
            }
            var reader = FrameReader(ReadOnly())
            var count = 0
            try [1, 2].withUnsafeByteArray { try reader.receive($0) { _ in count += 1 } }
            precondition(count == 2)
            var output: [UInt8] = []
            try ReadOnly().append([1], to: &output)
        }
        expectMessage(result, naming: "ReadOnly", "append(_:to:)")
    }

    @Test("a framing that finds an end without received bytes")
    func noProgress() async {
        let result = await #expect(processExitsWith: .failure, observing: lastWords) {
            prepareForTrap()
            struct Stuck: Framing {
                func nextFrame(in bytes: FrameBytes) -> FrameBounds? {
                    FrameBounds(payload: 0..<0, end: 0)
                }
                func append(_ payload: RawSpan, to output: inout [UInt8]) {}
            }
            var reader = FrameReader(Stuck())
            try [1].withUnsafeByteArray { try reader.receive($0) { _ in } }
        }
        expectMessage(result, naming: "Stuck", "ends at byte 0")
    }
}
