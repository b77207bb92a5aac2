import RingNetwork
import Testing

@Suite("Frames that begin with their length")
struct LengthPrefixFramingTests {
    @Test("the length is a number of the given width and byte order")
    func headers() throws {
        func written(_ framing: LengthPrefixFraming) throws -> [UInt8] {
            var output: [UInt8] = []
            try framing.append([7, 8], to: &output)
            return output
        }
        #expect(try written(LengthPrefixFraming(.one)) == [2, 7, 8])
        #expect(try written(LengthPrefixFraming(.two)) == [0, 2, 7, 8])
        #expect(
            try written(LengthPrefixFraming(.four, byteOrder: .littleEndian))
                == [2, 0, 0, 0, 7, 8])
        #expect(
            try written(LengthPrefixFraming(.eight, countsItself: true))
                == [0, 0, 0, 0, 0, 0, 0, 10, 7, 8])
        var header: [UInt8] = []
        try LengthPrefixFraming(.two, byteOrder: .littleEndian)
            .appendHeader(payloadLength: 0x0102, to: &header)
        #expect(header == [2, 1])
    }

    @Test("written frames are read back, in any variant and split", arguments: [1, 2, 3, 7, 1000])
    func variants(pieces: Int) throws {
        let payloads = [[], [1], Array(1...200), [], [9, 9]] as [[UInt8]]
        for width in LengthPrefixFraming.Width.allCases {
            for order in [LengthPrefixFraming.ByteOrder.bigEndian, .littleEndian] {
                for countsItself in [false, true] {
                    let framing = LengthPrefixFraming(
                        width, byteOrder: order, countsItself: countsItself)
                    var stream: [UInt8] = []
                    for payload in payloads { try framing.append(payload, to: &stream) }
                    #expect(try allFrames(of: stream, by: framing, pieces: pieces) == payloads)
                }
            }
        }
    }

    @Test("a length above the limit is rejected before the payload arrives")
    func tooLong() throws {
        let framing = LengthPrefixFraming(.four, maximumLength: 3)
        #expect(try allFrames(of: [0, 0, 0, 3, 1, 2, 3], by: framing) == [[1, 2, 3]])
        #expect(throws: FrameError.tooLong(limit: 3)) {
            try allFrames(of: [0, 0, 0, 4], by: framing)
        }
        // Lengths whose end would overflow.
        let all = LengthPrefixFraming(.eight, maximumLength: .max)
        for first: UInt8 in [0x7f, 0x80, 0xff] {
            let header = [first] + [UInt8](repeating: 0xff, count: 7)
            #expect(throws: FrameError.tooLong(limit: .max - 8)) {
                try allFrames(of: header, by: all)
            }
        }
        var output: [UInt8] = []
        #expect(throws: FrameError.tooLong(limit: 3)) {
            try framing.append([1, 2, 3, 4], to: &output)
        }
        #expect(output.isEmpty)
    }

    @Test("the limit is never above what the width can express")
    func widths() throws {
        #expect(LengthPrefixFraming(.one).maximumLength == 255)
        #expect(LengthPrefixFraming(.one, countsItself: true).maximumLength == 254)
        #expect(LengthPrefixFraming(.two, countsItself: true).maximumLength == 65_533)
        #expect(LengthPrefixFraming(.two, maximumLength: .max).maximumLength == 65_535)
        #expect(LengthPrefixFraming(.four).maximumLength == 65_536)
        #expect(LengthPrefixFraming(.four, maximumLength: .max).maximumLength == 0xffff_ffff)
        var output: [UInt8] = []
        let longest = [UInt8](repeating: 1, count: 254)
        try LengthPrefixFraming(.one, countsItself: true).append(longest, to: &output)
        #expect(output.count == 255 && output[0] == 255)
    }

    @Test("a length that counts itself is not less than its field")
    func tooShort() throws {
        let framing = LengthPrefixFraming(.two, countsItself: true)
        #expect(try allFrames(of: [0, 2, 0, 3, 7], by: framing) == [[], [7]])
        #expect(throws: FrameError.invalidLength(1)) { try allFrames(of: [0, 1], by: framing) }
    }
}
