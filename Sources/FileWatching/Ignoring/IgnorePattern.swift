/// One line of a `.gitignore` file.
struct IgnorePattern {
    /// Matching entries are not ignored (`!` in front).
    let isNegated: Bool
    let isForFolders: Bool
    let glob: Glob

    /// Nil for an empty line or a comment.
    init?(_ line: some Sequence<UInt8>) {
        var text = IgnorePattern.trimmed(Array(line))
        guard let first = text.first, first != UInt8(ascii: "#") else { return nil }
        isNegated = first == UInt8(ascii: "!")
        if isNegated { text.removeFirst() }
        isForFolders = text.last == UInt8(ascii: "/")
        if isForFolders { text.removeLast() }
        guard let glob = Glob(text) else { return nil }
        self.glob = glob
    }

    /// Removes a carriage return and unescaped trailing spaces.
    private static func trimmed(_ line: [UInt8]) -> [UInt8] {
        var line = line
        if line.last == UInt8(ascii: "\r") { line.removeLast() }
        while line.last == UInt8(ascii: " ") {
            let backslashes = line.dropLast().reversed().prefix { $0 == UInt8(ascii: "\\") }.count
            if backslashes % 2 == 1 { break }
            line.removeLast()
        }
        return line
    }
}
