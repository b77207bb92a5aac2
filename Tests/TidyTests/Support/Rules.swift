import Glibc

/// The rules, as functions from a file to its violations, so that tests can pass them files that
/// break a rule.
enum Rules {
    typealias File = Repository.File

    static let longestFileLines = 500
    static let longestLineCharacters = 100
    static let longestFunctionLines = 70

    static func tooLong(_ file: File) -> [String] {
        file.lines.count <= longestFileLines ? [] : ["\(file.path): \(file.lines.count) lines"]
    }

    static func wideLines(_ file: File) -> [String] {
        // Characters are slow to count, bytes are not.
        file.lines.indices.filter { index in
            let line = file.lines[index]
            return line.utf8.count > longestLineCharacters && line.count > longestLineCharacters
        }
        .map { "\(file.place($0)): \(file.lines[$0].count) characters" }
    }

    static func trailingSpace(_ file: File) -> [String] {
        file.lines.indices.filter { file.lines[$0].last?.isWhitespace == true }
            .map { "\(file.place($0)): space at the end" }
            + (file.text.isEmpty || file.text.hasSuffix("\n") ? [] : ["\(file.path): no last end"])
            + (file.text.hasSuffix("\n\n") ? ["\(file.path): an empty last line"] : [])
    }

    /// strstr(3): in a debug build much faster than a search in Swift. Rules use it to pass over
    /// files, nearly all, that cannot break them.
    private static func contains(_ word: String, _ text: String) -> Bool {
        text.withCString { text in word.withCString { strstr(text, $0) != nil } }
    }

    /// Built from parts, so that this file does not break its own rule.
    private static let notes = ["TO" + "DO", "FIX" + "ME", "X" + "XX"]

    static func leftOverNotes(_ file: File) -> [String] {
        if !notes.contains(where: { contains($0, file.text) }) { return [] }
        return file.lines.indices.flatMap { index in
            let words = file.lines[index].split { !$0.isLetter }
            return notes.filter { note in words.contains { $0 == note } }
                .map { "\(file.place(index)): \($0)" }
        }
    }

    private static let machineFolders = ["work", "root", "home"].map { "/" + $0 + "/" }

    static func machinePaths(_ file: File) -> [String] {
        let folders = machineFolders.filter { contains($0, file.text) }
        if folders.isEmpty { return [] }
        return file.lines.indices.flatMap { index in
            folders.filter { beginsPath($0, in: file.lines[index]) }
                .map { "\(file.place(index)): \($0)" }
        }
    }

    /// Whether an absolute path starts with `text`. In the middle of a path or URL it does not
    /// count.
    private static func beginsPath(_ text: String, in line: Substring) -> Bool {
        var rest = line
        while let range = rest.firstRange(of: text) {
            let before = line[..<range.lowerBound].last
            guard let before, before.isLetter || before.isNumber || "._-})/".contains(before)
            else { return true }
            rest = rest[rest.index(after: range.lowerBound)...]
        }
        return false
    }

    /// Unchecked promises to the compiler without a `Safety:` comment close by.
    static func unexplainedPromises(_ file: File) -> [String] {
        let reach = 6
        let promises = ["@unchecked Sendable", "nonisolated(unsafe)"]
            .filter { contains($0, file.text) }
        if promises.isEmpty { return [] }
        return file.code.indices.flatMap { index -> [String] in
            let near = file.lines[max(0, index - reach)...min(file.lines.count - 1, index + reach)]
            if near.contains(where: { $0.contains("Safety:") }) { return [] }
            return promises.filter { file.code[index].contains($0) }
                .map { "\(file.place(index)): \($0) without Safety:" }
        }
    }

    /// The file's main type if it lacks a doc comment: the type that the file is named after, or
    /// else the first.
    static func undocumentedType(_ file: File) -> [String] {
        let name = file.path.split(separator: "/").last?.prefix { !"+.".contains($0) }
        let types = file.code.indices.filter { typeName(file.code[$0]) != nil }
        let main = types.first { typeName(file.code[$0]) == name } ?? types.first
        guard let main else { return [] }
        var above = main - 1
        while above >= 0, file.lines[above].hasPrefix("@") { above -= 1 }
        if above >= 0, file.lines[above].hasPrefix("///") { return [] }
        return ["\(file.place(main)): no doc comment"]
    }

    /// The name of the type that a line of top-level code declares.
    private static func typeName(_ line: Substring) -> Substring? {
        guard line.first?.isLetter == true || line.first == "@" else { return nil }
        let words = line.split { !$0.isLetter && !$0.isNumber && $0 != "_" }
        let kinds: Set<Substring> = ["struct", "class", "enum", "protocol", "actor", "typealias"]
        guard let kind = words.firstIndex(where: { kinds.contains($0) }), kind + 1 < words.count,
            !words[..<kind].contains("func"), !words[..<kind].contains("extension")
        else { return nil }
        return words[kind + 1]
    }
}
