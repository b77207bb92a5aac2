import ArgumentParser
import LoadTesting

/// Where the report goes.
struct ReportOptions: ParsableArguments {
    @Option(help: "Write the report to this file, too, as JSON.")
    var json: String?

    func check() throws {}

    /// Makes sure, before the run, that all can be written.
    func open() throws -> ReportFiles {
        var files = ReportFiles()
        do {
            if let json { try files.add("--json", json) { $0.json } }
        } catch {
            files.discard()
            throw error
        }
        return files
    }
}

/// The files of a report, which appear when it is complete.
struct ReportFiles {
    private var files: [(file: ReportFile, content: (LoadReport) -> String)] = []

    mutating func add(
        _ option: String, _ path: String, _ content: @escaping (LoadReport) -> String
    ) throws {
        files.append((try ReportFile(option, path: path), content))
    }

    func commit(_ report: LoadReport) throws {
        for (file, content) in files { try file.commit(content(report)) }
    }

    func discard() {
        for (file, _) in files { file.discard() }
    }
}
