extension Rules {
    /// Uses of folders of a module that ARCHITECTURE lists before the folder that uses them. Swift
    /// has no imports inside a module: a folder uses another one if it names a type or a function
    /// that a file there declares.
    static func upwardUses(in module: String, files: [File], architecture: File) -> [String] {
        let order = listedFolders(of: module, in: architecture)
        var homes: [Substring: Set<String>] = [:]
        for file in files {
            for name in declaredNames(file) { homes[name, default: []].insert(file.path) }
        }
        return files.flatMap { file -> [String] in
            let own = folder(of: file.path, in: module)
            guard let place = order.firstIndex(of: own) else { return [] }
            return words(file).compactMap { word in
                guard let home = homes[word], home.count == 1, let path = home.first else {
                    return nil
                }
                let other = folder(of: path, in: module)
                guard let otherPlace = order.firstIndex(of: other), otherPlace < place else {
                    return nil
                }
                return "\(file.path): uses \(word) of \(other), which is above \(own)"
            }
        }
    }

    /// The folders in the row of a module, from the top layer down.
    static func listedFolders(of module: String, in architecture: File) -> [String] {
        let row = architecture.lines.first { line in
            line.hasPrefix("| ") && line.split(separator: "|")[0].contains("`\(module)`")
        }
        let parts = (row ?? "").split(separator: "`", omittingEmptySubsequences: false)
        return parts.indices.filter { $0 % 2 == 1 }.map { String(parts[$0]) }
    }

    private static func folder(of path: String, in module: String) -> String {
        path.dropFirst(module.count + 1).split(separator: "/").dropLast().joined(separator: "/")
    }

    private static let kinds: Set<Substring> = [
        "class", "struct", "enum", "protocol", "actor", "typealias", "func", "let", "var",
    ]

    /// The names that a file declares outside types, apart from private ones.
    private static func declaredNames(_ file: File) -> [Substring] {
        file.code.compactMap { line in
            guard let first = line.first, first.isLetter || first == "@" else { return nil }
            let words = line.split { !($0.isLetter || $0.isNumber || $0 == "_") }
            guard let kind = words.firstIndex(where: kinds.contains), kind + 1 < words.count,
                !words[..<kind].contains(where: { $0 == "private" || $0 == "fileprivate" }),
                !words[..<kind].contains("extension"), words[kind + 1].count > 2
            else { return nil }
            return words[kind + 1]
        }
    }

    private static func words(_ file: File) -> Set<Substring> {
        Set(file.code.flatMap { $0.split { !($0.isLetter || $0.isNumber || $0 == "_") } })
    }
}
