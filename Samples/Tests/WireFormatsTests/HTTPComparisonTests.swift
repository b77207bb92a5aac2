import Foundation
import Testing
import WireFormats

/// Whatever the parser accepts, another implementation accepts with the same meaning.
@Suite(
    "HTTP requests beside h11",
    .watchdog(limitSeconds: isDeep ? 1800 : Watchdog.usualLimitSeconds))
struct HTTPComparisonTests {
    private static let hasH11 = system("python3 -c 'import h11' 2>/dev/null") == 0

    @Test(
        "h11 reads the same method, target and fields from mutated requests",
        .enabled(if: hasH11, "python3 with h11 is missing: pip install h11"))
    func compare() throws {
        let folder = Folder()
        let count = isDeep ? 1_000_000 : 10_000
        let (cases, output) = (folder("cases"), folder("output"))
        let file = try #require(fopen(cases, "w"))
        var accepted = 0
        for bytes in MutatedRequests(seed: 1).prefix(count) {
            guard let request = HTTPRequest(head: bytes) else { continue }
            accepted += 1
            fputs(Self.line(bytes, request), file)
        }
        #expect(fclose(file) == 0)
        // Neither everything nor nothing.
        #expect((count / 20)...(count * 19 / 20) ~= accepted)
        let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("compare-with-h11.py").path
        let status = system("python3 '\(script)' '\(cases)' </dev/null >'\(output)' 2>&1")
        let text = try String(contentsOfFile: output, encoding: .utf8)
        #expect(status == 0 && text == "\(accepted) requests agree\n", "\(text)")
    }

    /// Hexadecimal words: the bytes, the method, the target, and the names and values of fields.
    private static func line(_ bytes: [UInt8], _ request: HTTPRequest) -> String {
        var words = [bytes[...], Array(request.method.utf8)[...], Array(request.target.utf8)[...]]
        for field in request.head.fields { words += [field.name, field.value] }
        return words.map(hexadecimal).joined(separator: " ") + "\n"
    }

    private static let digits = Array("0123456789abcdef".utf8)

    private static func hexadecimal(_ bytes: ArraySlice<UInt8>) -> String {
        // A mark in front, so that no word is empty.
        String(
            decoding: [UInt8(ascii: "x")]
                + bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] },
            as: UTF8.self)
    }
}
