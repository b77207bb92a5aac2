/// A path pattern with the syntax of `.gitignore`: `*`, `?` and `[...]` match within a name, and
/// `**` between slashes matches any number of folders. Patterns match bytes, so `?` stands for one
/// byte.
///
/// A pattern without a slash matches only the last name of a path. Matching takes at most time in
/// proportion to the pattern's length times the path's length.
public struct Glob: Sendable {
    let isForNames: Bool
    private let parts: [Part]

    private enum Part {
        case byte(UInt8)
        case anyByte
        case oneOf(ByteClass)
        /// `*`: any bytes except slashes.
        case star
        /// `**` with the slash after it: any number of folders.
        case folders
        /// `**` at the end: anything that is not empty.
        case rest
    }

    private typealias Place = (part: Int, text: Int)
    private static let slash = UInt8(ascii: "/")

    /// - Parameter pattern: an empty pattern or a lone slash gives nil.
    public init?(_ pattern: [UInt8]) {
        isForNames = !pattern.contains(Glob.slash)
        parts = Glob.parse(pattern.first == Glob.slash ? pattern.dropFirst() : pattern[...])
        if parts.isEmpty { return nil }
    }

    /// - Parameter path: relative to the pattern's folder, without a leading slash.
    public func matches(_ path: ArraySlice<UInt8>) -> Bool {
        guard isForNames, let last = path.lastIndex(of: Glob.slash) else { return fits(path) }
        return fits(path[(last + 1)...])
    }

    private func fits(_ text: ArraySlice<UInt8>) -> Bool {
        var place: Place = (0, text.startIndex)
        // Backtracking positions: `*` then takes one more byte, `**` one more folder. Only the last
        // of each is needed, because a later star can match everything that an earlier one can.
        var afterStar: Place?
        var afterFolders: Place?
        while true {
            if place.part == parts.count {
                if place.text == text.endIndex { return true }
            } else if case .star = parts[place.part] {
                place.part += 1
                afterStar = place
                continue
            } else if case .folders = parts[place.part] {
                place.part += 1
                (afterStar, afterFolders) = (nil, place)
                continue
            } else if case .rest = parts[place.part] {
                return place.text < text.endIndex
            } else if place.text < text.endIndex, matches(parts[place.part], text[place.text]) {
                place = (place.part + 1, place.text + 1)
                continue
            }
            if let last = afterStar, last.text < text.endIndex, text[last.text] != Glob.slash {
                place = (last.part, last.text + 1)
                afterStar = place
            } else if let last = afterFolders,
                let end = text[last.text...].firstIndex(of: Glob.slash)
            {
                place = (last.part, end + 1)
                (afterStar, afterFolders) = (nil, place)
            } else {
                return false
            }
        }
    }

    private func matches(_ part: Part, _ byte: UInt8) -> Bool {
        switch part {
        case .byte(let wanted): byte == wanted
        case .anyByte: byte != Glob.slash
        case .oneOf(let bytes): byte != Glob.slash && bytes.contains(byte)
        case .star, .folders, .rest: false
        }
    }

    // MARK: parsing

    private static func parse(_ pattern: ArraySlice<UInt8>) -> [Part] {
        var parts: [Part] = []
        var rest = pattern
        // Without this, a pattern of many opening brackets would take quadratic time.
        var hasOpenBracket = false
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "*"):
                let start = rest.startIndex - 1
                rest = rest.drop { $0 == UInt8(ascii: "*") }
                guard isWholeComponent(start..<rest.startIndex, of: pattern) else {
                    parts.append(.star)
                    continue
                }
                parts.append(rest.isEmpty ? .rest : .folders)
                rest = rest.dropFirst()
            case UInt8(ascii: "?"): parts.append(.anyByte)
            case UInt8(ascii: "["):
                if !hasOpenBracket, let bytes = ByteClass.parse(&rest) {
                    parts.append(.oneOf(bytes))
                } else {
                    hasOpenBracket = true
                    parts.append(.byte(byte))
                }
            case UInt8(ascii: "\\"):
                // A backslash at the end matches nothing.
                parts.append(rest.popFirst().map { .byte($0) } ?? .oneOf(ByteClass()))
            default: parts.append(.byte(byte))
            }
        }
        return parts
    }

    /// Whether the stars are at least two, and are all there is between two slashes.
    private static func isWholeComponent(
        _ stars: Range<Int>, of pattern: ArraySlice<UInt8>
    ) -> Bool {
        stars.count > 1
            && (stars.lowerBound == pattern.startIndex || pattern[stars.lowerBound - 1] == slash)
            && (stars.upperBound == pattern.endIndex || pattern[stars.upperBound] == slash)
    }
}
