/// What a client's line asks for.
enum Request {
    case say(String)
    case join(String)
    case who
    case rooms
    case quit
    case unknown

    /// Nil for a line without content. Leaves out control characters, which would act on the
    /// terminals of the others.
    init?(_ line: String) {
        var line = line
        line.unicodeScalars.removeAll { $0.properties.generalCategory == .control }
        let words = line.split(separator: " ", omittingEmptySubsequences: true)
        guard let first = words.first else { return nil }
        switch (first, words.count) {
        case ("/join", 2) where Self.isName(String(words[1])): self = .join(String(words[1]))
        case ("/who", 1): self = .who
        case ("/rooms", 1): self = .rooms
        case ("/quit", 1): self = .quit
        case _ where first.hasPrefix("/"): self = .unknown
        default: self = .say(line)
        }
    }

    /// The length counts scalars: a character may have any number of combining marks. Those that
    /// nobody sees, such as joiners, would make two names of one.
    static func isName(_ text: String) -> Bool {
        1...Chat.longestName ~= text.unicodeScalars.count
            && text.allSatisfy { $0.isLetter || $0.isNumber }
            && !text.unicodeScalars.contains { $0.properties.isDefaultIgnorableCodePoint }
    }
}
