import LoadTesting

/// The report's files, which appear once the report is complete.
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
