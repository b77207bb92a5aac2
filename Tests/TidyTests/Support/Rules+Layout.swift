/// Checks the package's layout against the documents that describe it.
extension Rules {
    /// Folders that the document's tables do not name. A module's folder (`Sources/A/B`) is named
    /// by a row that has both `Sources/A` and `B` in code style.
    static func unnamedFolders(_ folders: [String], in file: File) -> [String] {
        let rows = file.lines.filter { $0.first == "|" }.map { line in
            Set(
                line.split(separator: "`", omittingEmptySubsequences: false).enumerated()
                    .filter { $0.offset % 2 == 1 }.map(\.element))
        }
        return folders.filter { folder in
            let parts = folder.split(separator: "/")
            let module = parts.prefix(2).joined(separator: "/")[...]
            return !rows.contains { row in
                row.contains(module) && (parts.count == 2 || row.contains(parts[2]))
            }
        }
    }

    /// The packages that a manifest depends on: the last part of each URL or path.
    static func packageDependencies(_ file: File) -> [String] {
        var names: [String] = []
        var rest = file.lines.filter { !$0.drop { $0 == " " }.hasPrefix("//") }
            .joined(separator: "\n")[...]
        while let call = rest.firstRange(of: ".package(") {
            rest = rest[call.upperBound...]
            let literals = rest.prefix { $0 != ")" }.split(separator: "\"")
            let place = literals.indices.first { index in
                literals[index].hasSuffix("url: ") || literals[index].hasSuffix("path: ")
            }
            guard let place, place + 1 < literals.count else {
                names.append(String(rest.prefix { $0 != "\n" }))
                continue
            }
            let name = literals[place + 1].split(separator: "/").last ?? ""
            names.append(String(name.hasSuffix(".git") ? name.dropLast(4) : name))
        }
        return names
    }
}
