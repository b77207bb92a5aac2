import Testing

@testable import KeyValueStore

@Suite("Integers as text")
struct DecimalTests {
    private func parse(_ text: String) -> Int64? {
        var text = text
        return text.withUTF8 { Decimal.parse(UnsafeRawBufferPointer($0)) }
    }

    @Test(
        "an integer and its text are the same both ways",
        arguments: [
            0, 1, -1, 9, 10, 99, 100, -100, 12345, .max, .min, .max - 1, .min + 1,
        ] as [Int64])
    func bothWays(value: Int64) {
        #expect(parse("\(value)") == value)
        let text = "\(value)"
        #expect(Decimal.count(value) == text.utf8.count)
        var bytes = [UInt8](repeating: 0, count: text.utf8.count)
        bytes.withUnsafeMutableBytes {
            Decimal.write(value, to: $0.baseAddress!, count: text.utf8.count)
        }
        #expect(bytes == Array(text.utf8))
    }

    @Test(
        "what is no integer, or does not fit, is refused",
        arguments: [
            "", "-", "+1", "01", "-0", "-01", " 1", "1 ", "1a", "a", "1.0", "0x1", "--1",
            "9223372036854775808", "-9223372036854775809", "18446744073709551616",
            "99999999999999999999", "00000000000000000000000", "1\0",
        ])
    func refused(text: String) {
        #expect(parse(text) == nil)
    }
}
