/// Checks the table of GCD's semantics against the tests.
extension Rules {
    static let contractRows = 1...92

    /// Errors in the contract's tables: missing rows, rows with neither a reason nor a test whose
    /// name begins with their number, and tests that do not exist.
    /// - Parameter tests: the test names of each file, by its path relative to the contract's
    ///   folder.
    static func brokenContract(_ file: File, tests: [String: [String]]) -> [String] {
        var findings: [String] = []
        var rows: Set<Int> = []
        for index in file.lines.indices {
            let line = file.lines[index]
            let named = namedTests(line)
            for (name, path) in named where tests[path]?.contains(name) != true {
                findings.append("\(file.place(index)): no test '\(name)' in \(path)")
            }
            guard let row = contractRow(line) else { continue }
            let isNew = rows.insert(row).inserted
            if !isNew { findings.append("\(file.place(index)): row \(row) again") }
            let isShown = named.contains { rowNumbers($0.name).contains(row) }
            if !isShown && !givesReason(line) {
                findings.append("\(file.place(index)): row \(row) has neither a test nor a reason")
            }
        }
        let missing = contractRows.filter { !rows.contains($0) }
        let unknown = rows.subtracting(contractRows).sorted()
        return findings + missing.map { "\(file.path): no row \($0)" }
            + unknown.map { "\(file.path): row \($0) is none of the contract's" }
    }

    /// Tests whose names begin with unknown row numbers.
    static func unknownRows(_ file: File) -> [String] {
        testNames(file).flatMap { name in
            rowNumbers(name).filter { !contractRows.contains($0) }
                .map { "\(file.path): '\(name)' stands for row \($0), which does not exist" }
        }
    }

    /// The display names of a file's tests: the literals that follow `@Test(`.
    static func testNames(_ file: File) -> [String] {
        var names: [String] = []
        var rest = file.text[...]
        while let attribute = rest.firstRange(of: "@Test(") {
            rest = rest[attribute.upperBound...].drop { $0.isWhitespace }
            guard rest.first == "\"" else { continue }
            let literal = rest.dropFirst().prefix { $0 != "\"" && $0 != "\n" }
            names.append(String(literal))
            rest = rest[literal.endIndex...]
        }
        return names
    }

    /// The row numbers in a name such as `5, 6. A suspended queue waits`.
    static func rowNumbers(_ name: String) -> [Int] {
        guard let dot = name.firstRange(of: ". ") else { return [] }
        let numbers = name[..<dot.lowerBound]
            .split(separator: ", ", omittingEmptySubsequences: false).map { Int($0) }
        return numbers.contains(nil) ? [] : numbers.compactMap(\.self)
    }

    /// The number in a table row's first cell.
    private static func contractRow(_ line: Substring) -> Int? {
        guard line.first == "|" else { return nil }
        return line.dropFirst().split(separator: "|").first.flatMap { cell in
            Int(String(cell.filter { $0 != " " }))
        }
    }

    /// Whether a cell of the row gives a reason for having no test.
    private static func givesReason(_ line: Substring) -> Bool {
        let introduction = "none: "
        return line.split(separator: "|").contains { cell in
            let text = cell.drop { $0 == " " }
            return text.hasPrefix(introduction)
                && text.dropFirst(introduction.count).contains { $0 != " " }
        }
    }

    /// Tests named by a document: the test's name, and its file in parentheses, both in code style.
    private static func namedTests(_ line: Substring) -> [(name: String, path: String)] {
        let parts = line.split(separator: "`", omittingEmptySubsequences: false)
        return parts.indices.compactMap { index in
            guard index % 2 == 1, index + 3 < parts.count, parts[index + 1] == " (",
                parts[index + 3].first == ")"
            else { return nil }
            return (String(parts[index]), String(parts[index + 2]))
        }
    }
}
