/// Integers as decimal text, in the one form that the protocol allows: no plus sign, no leading
/// zeros, no space.
enum Decimal {
    /// The longest text: "-9223372036854775808".
    static let longestCount = 20

    /// The integer that the text stands for; nil when it is none, or does not fit.
    static func parse(_ bytes: UnsafeRawBufferPointer) -> Int64? {
        guard let first = bytes.first, bytes.count <= longestCount else { return nil }
        if bytes.count == 1, first == UInt8(ascii: "0") { return 0 }
        let isNegative = first == UInt8(ascii: "-")
        let start = isNegative ? 1 : 0
        guard start < bytes.count, bytes[start] != UInt8(ascii: "0") else { return nil }
        var magnitude: UInt64 = 0
        for index in start..<bytes.count {
            let digit = UInt64(bytes[index] &- UInt8(ascii: "0"))
            guard digit <= 9 else { return nil }
            // At most 20 digits: the multiplication may overflow at the last one only.
            let (product, isOver) = magnitude.multipliedReportingOverflow(by: 10)
            let (sum, isOver2) = product.addingReportingOverflow(digit)
            if isOver || isOver2 { return nil }
            magnitude = sum
        }
        if isNegative {
            guard magnitude <= Int64.min.magnitude else { return nil }
            return Int64(truncatingIfNeeded: 0 &- magnitude)
        }
        return Int64(exactly: magnitude)
    }

    /// How many characters `value` takes.
    @inline(__always)
    static func count(_ value: Int64) -> Int {
        var rest = value.magnitude
        var count = value < 0 ? 2 : 1
        while rest >= 10 {
            rest /= 10
            count += 1
        }
        return count
    }

    /// Writes `value` to `target`, which has room for `count`, the value's count of characters.
    @inline(__always)
    static func write(_ value: Int64, to target: UnsafeMutableRawPointer, count: Int) {
        var rest = value.magnitude
        var end = target + count
        repeat {
            end -= 1
            let (quotient, digit) = rest.quotientAndRemainder(dividingBy: 10)
            end.storeBytes(of: UInt8(ascii: "0") + UInt8(truncatingIfNeeded: digit), as: UInt8.self)
            rest = quotient
        } while rest > 0
        if value < 0 { target.storeBytes(of: UInt8(ascii: "-"), as: UInt8.self) }
    }
}
