import ArgumentParser
import LoadTesting

/// Where the report goes, and what it may say.
struct ReportOptions: ParsableArguments {
    @Option(help: "Write the report to this file, too, as JSON.")
    var json: String?

    @Option(help: "Write a page with plots to this file, too.")
    var html: String?

    @Option(help: "Write the latencies' distribution to this file, too, as HdrHistogram does.")
    var hgrm: String?

    @Option(help: "Write a line for each second to this file, too.")
    var csv: String?

    @Option(help: "Exit with 1 when this holds: p99>5ms, rate<10k, errors>0. May be repeated.")
    var failIf: [String] = []

    @Option(help: "Instead of a run, compare two --json reports: --compare A.json B.json.")
    var compare: String?

    func check() throws {
        _ = try conditions()
        let paths = [json, html, hgrm, csv].compactMap(\.self)
        guard Set(paths).count == paths.count else {
            throw ValidationError("--json, --html, --hgrm and --csv need a file each")
        }
    }

    func conditions() throws -> [Condition] { try failIf.map { try Condition($0) } }

    /// Makes sure, before the run, that all files can be written.
    func open() throws -> ReportFiles {
        var files = ReportFiles()
        do {
            if let json { try files.add("--json", json) { $0.json } }
            if let html { try files.add("--html", html) { $0.html } }
            if let hgrm { try files.add("--hgrm", hgrm) { $0.hgrm } }
            if let csv { try files.add("--csv", csv) { $0.csv } }
        } catch {
            files.discard()
            throw error
        }
        return files
    }
}
