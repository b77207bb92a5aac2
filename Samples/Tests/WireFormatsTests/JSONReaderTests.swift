import Testing
import WireFormats

/// Which bytes are a JSON value, by RFC 8259.
@Suite("JSON", .watchdog)
struct JSONReaderTests {
    @Test(
        "A number has the value of its digits",
        arguments: [
            ("0", 0), ("-0", 0), ("12", 12), ("-7", -7), ("0.5", 0.5), ("-0.25", -0.25),
            ("1e2", 100), ("1E+2", 100), ("25e-1", 2.5), ("-1.5e1", -15), (" 3 ", 3),
        ] as [(String, Double)])
    func number(text: String, value: Double) throws {
        #expect(try JSONReader.read(Array(text.utf8)).number == value)
    }

    @Test(
        "A malformed number is refused",
        arguments: [
            "01", "-01", "00", "01.5", "-.5", ".5", "1.", "1.e2", "-", "--1", "+1", "1e", "1e+",
            "1.5.5", "1e5e5", "1e1.5", "- 1", "0x1", "1-", "Infinity", "-Infinity", "NaN",
        ])
    func malformedNumber(text: String) {
        #expect(throws: FormatFailure.self) { try JSONReader.read(Array(text.utf8)) }
        #expect(throws: FormatFailure.self) { try JSONReader.read(Array("[\(text)]".utf8)) }
    }
}
