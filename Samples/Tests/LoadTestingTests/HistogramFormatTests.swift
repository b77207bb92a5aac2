import Foundation
import Histogram
import TestSupport
import Testing
import WireFormats

@testable import LoadTesting

/// Histograms for other programs.
@Suite("Histograms in HdrHistogram's format", .watchdog)
struct HistogramFormatTests {
    static func text(_ histogram: LatencyHistogram) -> String {
        JSONValue.base64(histogram.compressed).text ?? ""
    }

    /// Decoded with HdrHistogram's libraries once: the format must never change.
    @Test("a histogram's text is what HdrHistogram's libraries decode")
    func format() {
        var histogram = LatencyHistogram.forLatencies()
        #expect(
            Self.text(histogram)
                == "HISTFAAAADR4AQEpANb/HISTEwAAAAEAAAAAAAAAAwAAAAAAAABAAAAADfhHWAA"
                + "/8AAAAAAAAABVjQRe")
        for value: UInt64 in [0, 1000, 1000, 200_000, 59_000_000_000] {
            histogram.record(value, count: value == 0 ? 70 : 300)
        }
        #expect(
            Self.text(histogram)
                == "HISTFAAAAEF4AQE2AMn/HISTEwAAAA4AAAAAAAAAAwAAAAAAAABAAAAADfhHWAA"
                + "/8AAAAAAAAIwBG7AJkyjYBIWjAtgEtOMJaQ==")
    }

    static let hasLibrary = system("python3 -c 'import hdrh.histogram' 2>/dev/null") == 0

    @Test(
        "another implementation reads and merges the histograms",
        .enabled(if: hasLibrary, "python3 with hdrhistogram is missing: pip install hdrhistogram"))
    func merge() throws {
        var parts = [LatencyHistogram](repeating: .forLatencies(), count: 3)
        var all = LatencyHistogram.forLatencies()
        var generator = SeededGenerator(state: 5)
        // From all powers of two: long runs of zeros, and counts of one to five bytes.
        for index in 0..<3_000 {
            let value = generator.next() >> (29 + UInt64(index % 35))
            let count = index == 7 ? UInt64(1) << 30 : 1 + generator.next() % 1000
            parts[index % 2].record(value, count: count)
            all.record(value, count: count)
        }
        let percentiles = [50, 90, 99, 99.9]
        let folder = Folder()
        let (input, output) = (folder("input"), folder("output"))
        try parts.map(Self.text).joined(separator: "\n").write(
            toFile: input, atomically: true, encoding: .utf8)
        let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("read-histograms.py").path
        let words = percentiles.map { "\($0)" }.joined(separator: " ")
        let status = system("python3 '\(script)' \(words) <'\(input)' >'\(output)' 2>&1")
        let text = try String(contentsOfFile: output, encoding: .utf8)
        let expected = [all.totalCount, all.max] + percentiles.map(all.valueAtPercentile)
        #expect(
            status == 0 && text == expected.map { "\($0)" }.joined(separator: " ") + "\n",
            "\(text) is not \(expected)")
    }
}
