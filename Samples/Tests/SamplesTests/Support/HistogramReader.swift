import Foundation

/// Reads what ringload writes as `hdrhistogram`: base64 of HdrHistogram's compressed format,
/// version 2. Written for the tests, without the library that ringload uses.
struct HistogramReader {
    let lowest: UInt64
    let highest: UInt64
    /// The sum of all buckets' counts.
    let totalCount: Int

    init(_ text: String) throws {
        guard let data = Data(base64Encoded: text) else { throw Trouble("not base64: \(text)") }
        var outer = Bytes(rest: Array(data)[...])
        guard try outer.number(4) == 0x1C84_9314, try outer.number(4) == outer.rest.count else {
            throw Trouble("not a compressed histogram of version 2: \(text)")
        }
        var inner = Bytes(rest: try outer.storedBlocks()[...])
        guard try inner.number(4) == 0x1C84_9313 else { throw Trouble("not version 2: \(text)") }
        let length = try inner.number(4)
        _ = try inner.number(8)  // The offset of the buckets, and the number of digits.
        (lowest, highest) = (try inner.number(8), try inner.number(8))
        _ = try inner.number(8)  // The ratio of values.
        guard length == inner.rest.count else { throw Trouble("\(length) is not its length") }
        var total = 0
        // A negative number is a run of empty buckets.
        while !inner.rest.isEmpty { total += max(0, try inner.zigzag()) }
        totalCount = total
    }
}

/// Reads numbers from bytes.
private struct Bytes {
    var rest: ArraySlice<UInt8>

    mutating func take(_ count: Int) throws -> ArraySlice<UInt8> {
        guard rest.count >= count else { throw Trouble("the histogram is too short") }
        defer { rest = rest.dropFirst(count) }
        return rest.prefix(count)
    }

    /// The most significant byte first.
    mutating func number(_ count: Int) throws -> UInt64 {
        try take(count).reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// The content of a zlib stream whose blocks are stored as they are.
    mutating func storedBlocks() throws -> [UInt8] {
        _ = try take(2)
        var content: [UInt8] = []
        var isLast = false
        while !isLast {
            isLast = try number(1) == 1
            // The length and its complement, the least significant byte first.
            let sizes = try take(4).map(Int.init)
            content += try take(sizes[0] | sizes[1] << 8)
        }
        return content
    }

    /// Seven bits in a byte, the lowest first. A ninth byte has all eight bits.
    mutating func zigzag() throws -> Int {
        var number: UInt64 = 0
        for index in 0..<9 {
            let byte = UInt64(try take(1).first ?? 0)
            number |= (index == 8 ? byte : byte & 0x7F) << UInt64(7 * index)
            if byte < 0x80 { break }
        }
        return Int(bitPattern: UInt(number >> 1)) ^ -Int(number & 1)
    }
}
