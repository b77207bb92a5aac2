extension Rules {
    /// Missing files that a document links to, or names in code style (`Listener.swift`).
    static func brokenLinks(_ file: File, exists: (String) -> Bool) -> [String] {
        let folder = file.path.split(separator: "/").dropLast()
        return file.lines.indices.flatMap { index -> [String] in
            let line = file.lines[index]
            let broken =
                links(line).filter { !exists(resolve($0, in: folder)) }
                + namedFiles(line).filter { name in
                    !exists(resolve(name, in: folder)) && !exists(resolve(name, in: []))
                }
            return broken.map { "\(file.place(index)): \($0)" }
        }
    }

    /// Relative links, without their anchors.
    static func links(_ line: Substring) -> [Substring] {
        var links: [Substring] = []
        var rest = line
        while let start = rest.firstRange(of: "](") {
            rest = rest[start.upperBound...]
            guard let end = rest.firstIndex(of: ")") else { break }
            let target = rest[..<end].prefix { $0 != "#" }
            if !target.isEmpty, !target.contains(":") { links.append(target) }
        }
        return links
    }

    private static let suffixes = [".swift", ".sh", ".md", ".c", ".h"]

    private static func namedFiles(_ line: Substring) -> [Substring] {
        let parts = line.split(separator: "`", omittingEmptySubsequences: false)
        return parts.indices.filter { $0 % 2 == 1 && $0 + 1 < parts.count }.map { parts[$0] }
            .filter { name in
                suffixes.contains { name.hasSuffix($0) && name.count > $0.count }
                    && name.allSatisfy { $0.isLetter || $0.isNumber || "+-_./".contains($0) }
            }
    }

    private static func resolve(_ link: Substring, in folder: ArraySlice<Substring>) -> String {
        var path = link.hasPrefix("/") ? [] : Array(folder)
        for part in link.split(separator: "/") where part != "." {
            if part == ".." { _ = path.popLast() } else { path.append(part) }
        }
        return path.joined(separator: "/")
    }
}
