/// One line of a `.gitignore` file.
struct IgnorePattern {
    /// What it matches is not ignored after all.
    let isNegated: Bool
    let isForFolders: Bool
    /// It is compared with the path from the file's folder on, not with a name alone.
    let isAnchored: Bool
    private let pattern: [UInt8]

    /// nil: an empty line or a comment.
    init?(_ line: some Sequence<UInt8>) {
        var text = IgnorePattern.trimmed(Array(line))
        guard let first = text.first, first != UInt8(ascii: "#") else { return nil }
        isNegated = first == UInt8(ascii: "!")
        if isNegated { text.removeFirst() }
        isForFolders = text.last == slash
        if isForFolders { text.removeLast() }
        isAnchored = text.contains(slash)
        if text.first == slash { text.removeFirst() }
        guard !text.isEmpty else { return nil }
        pattern = text
    }

    /// Without a carriage return, and spaces at the end that no backslash stands before.
    private static func trimmed(_ line: [UInt8]) -> [UInt8] {
        var line = line
        if line.last == UInt8(ascii: "\r") { line.removeLast() }
        while line.last == UInt8(ascii: " ") {
            let backslashes = line.dropLast().reversed().prefix { $0 == backslash }.count
            if backslashes % 2 == 1 { break }
            line.removeLast()
        }
        return line
    }

    func matches(_ text: ArraySlice<UInt8>) -> Bool {
        Glob.matches(pattern[...], text)
    }
}

private let slash = UInt8(ascii: "/")
private let backslash = UInt8(ascii: "\\")

/// Patterns as git understands them: `*`, `?` and `[...]` within a name, `**` across names.
enum Glob {
    private static let star = UInt8(ascii: "*")

    static func matches(_ pattern: ArraySlice<UInt8>, _ text: ArraySlice<UInt8>) -> Bool {
        var pattern = pattern
        var text = text
        // Where to go on when what follows the last star does not fit: one byte further.
        var retry: (pattern: ArraySlice<UInt8>, text: ArraySlice<UInt8>)?
        while true {
            if let next = pattern.first, next == star {
                let stars = pattern.prefix { $0 == star }.count
                let rest = pattern.dropFirst(stars)
                if stars > 1, isWhole(pattern) { return matchesAcross(rest, text) }
                retry = (rest, text)
                pattern = rest
                continue
            }
            if pattern.isEmpty && text.isEmpty { return true }
            if let byte = text.first, let rest = step(pattern, byte) {
                pattern = rest
                text = text.dropFirst()
                continue
            }
            guard let last = retry, let skipped = last.text.first, skipped != slash else {
                return false
            }
            retry = (last.pattern, last.text.dropFirst())
            pattern = last.pattern
            text = last.text.dropFirst()
        }
    }

    /// Whether the stars at the beginning stand alone between slashes.
    private static func isWhole(_ pattern: ArraySlice<UInt8>) -> Bool {
        let rest = pattern.drop { $0 == star }
        return rest.first.map { $0 == slash } ?? true
    }

    /// After `**`: any number of names.
    private static func matchesAcross(
        _ rest: ArraySlice<UInt8>, _ text: ArraySlice<UInt8>
    ) -> Bool {
        guard !rest.isEmpty else { return !text.isEmpty }
        let rest = rest.dropFirst()
        var text = text
        while true {
            if matches(rest, text) { return true }
            guard let index = text.firstIndex(of: slash) else { return false }
            text = text[(index + 1)...]
        }
    }

    /// The rest of the pattern after what stands for one byte; nil: the byte does not fit.
    private static func step(
        _ pattern: ArraySlice<UInt8>, _ byte: UInt8
    ) -> ArraySlice<UInt8>? {
        guard let next = pattern.first else { return nil }
        switch next {
        case UInt8(ascii: "?"): return byte == slash ? nil : pattern.dropFirst()
        case UInt8(ascii: "["):
            guard let (isIn, rest) = ByteClass.match(pattern.dropFirst(), byte) else {
                return byte == next ? pattern.dropFirst() : nil
            }
            return isIn && byte != slash ? rest : nil
        case backslash:
            let rest = pattern.dropFirst()
            return rest.first == byte ? rest.dropFirst() : nil
        default: return next == byte ? pattern.dropFirst() : nil
        }
    }
}
