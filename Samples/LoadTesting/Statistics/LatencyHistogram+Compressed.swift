internal import Histogram

extension LatencyHistogram {
    /// The histogram in HdrHistogram's compressed format, version 2: what HdrHistogram's libraries
    /// in other languages decode (after base64) and merge.
    ///
    /// The zlib stream is made of stored blocks. Runs of empty buckets are short in the format
    /// itself, so a run's histogram has a few kilobytes.
    var compressed: [UInt8] {
        let stream = Self.zlib(encoded)
        return Self.bytes(UInt32(0x1C84_9314)) + Self.bytes(UInt32(stream.count)) + stream
    }

    /// HdrHistogram's format of version 2.
    private var encoded: [UInt8] {
        let counts = encodedCounts
        return Self.bytes(UInt32(0x1C84_9313)) + Self.bytes(UInt32(counts.count))
            + Self.bytes(UInt32(0))  // No offset: bucket 0 is the first one.
            + Self.bytes(UInt32(numberOfSignificantValueDigits.rawValue))
            + Self.bytes(lowestDiscernibleValue) + Self.bytes(highestTrackableValue)
            + Self.bytes((1.0).bitPattern)  // Values are whole numbers.
            + counts
    }

    /// The counts of all buckets up to the last one that is used; n empty ones in a row are -n.
    private var encodedCounts: [UInt8] {
        var bytes: [UInt8] = []
        var empty: Int64 = 0
        func appendEmpty() {
            if empty > 0 { Self.append(empty == 1 ? 0 : -empty, to: &bytes) }
            empty = 0
        }
        var left = totalCount
        for bucket in allValues() where left > 0 {
            guard bucket.count > 0 else {
                empty += 1
                continue
            }
            appendEmpty()
            Self.append(Int64(bucket.count), to: &bytes)
            left -= bucket.count
        }
        return bytes.isEmpty ? [0] : bytes
    }

    /// Zigzag, then seven bits in a byte, the lowest first. A ninth byte has all eight bits.
    private static func append(_ number: Int64, to bytes: inout [UInt8]) {
        var rest = UInt64(bitPattern: number << 1 ^ number >> 63)
        for _ in 0..<8 {
            guard rest > 0x7F else { return bytes.append(UInt8(rest)) }
            bytes.append(UInt8(rest & 0x7F | 0x80))
            rest >>= 7
        }
        bytes.append(UInt8(rest))
    }

    /// Stored blocks of at most 65,535 bytes, and their checksum. RFC 1950, RFC 1951.
    private static func zlib(_ data: [UInt8]) -> [UInt8] {
        var stream: [UInt8] = [0x78, 0x01]
        let most = Int(UInt16.max)
        for start in stride(from: 0, to: data.count, by: most) {
            let block = data[start...].prefix(most)
            let count = UInt16(block.count)
            stream.append(block.endIndex == data.endIndex ? 1 : 0)
            stream += bytes(count.byteSwapped) + bytes((~count).byteSwapped) + block
        }
        var sums: (UInt32, UInt32) = (1, 0)
        for byte in data {
            sums.0 = (sums.0 + UInt32(byte)) % 65_521
            sums.1 = (sums.1 + sums.0) % 65_521
        }
        return stream + bytes(sums.1 << 16 | sums.0)
    }

    /// The most significant byte first.
    private static func bytes<Number: FixedWidthInteger>(_ number: Number) -> [UInt8] {
        stride(from: Number.bitWidth - 8, through: 0, by: -8).map {
            UInt8(truncatingIfNeeded: number >> $0)
        }
    }
}
