import ArgumentParser
import LoadTesting

/// The files of the report, and the conditions that it must not meet.
struct ReportOptions: ParsableArguments {
    @Option(help: "Also write the report to this file as JSON.")
    var json: String?

    @Option(help: "Also write a page with plots to this file.")
    var html: String?

    @Option(help: "Also write the latency distribution to this file, in HdrHistogram's format.")
    var hgrm: String?

    @Option(help: "Also write one line per interval to this file.")
    var csv: String?

    @Option(
        help: "Exit with status 1 if this holds: p99>5ms, rate<10k, errors>0. May be repeated.",
        transform: { try Condition($0) })
    var failIf: [Condition] = []

    @Option(help: "Instead of a run, compare two --json reports: --compare A.json B.json.")
    var compare: String?

    func check() throws {
        let paths = [json, html, hgrm, csv].compactMap(\.self)
        guard Set(paths).count == paths.count else {
            throw ValidationError("--json, --html, --hgrm and --csv need different files")
        }
    }

    /// Creates all files before the run, so that errors show early.
    func open() throws -> [ReportFile] {
        let files: [(String, String?, (LoadReport) -> String)] = [
            ("--json", json, \.json), ("--html", html, \.html), ("--hgrm", hgrm, \.hgrm),
            ("--csv", csv, \.csv),
        ]
        return try files.compactMap { option, path, content in
            try path.map { try ReportFile(option, path: $0, content: content) }
        }
    }
}
