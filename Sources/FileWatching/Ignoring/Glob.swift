/// A path pattern with the syntax of `.gitignore`: `*`, `?` and `[...]` match within a name, and
/// `**` between slashes matches any number of folders. Patterns match bytes, so `?` stands for one
/// byte.
///
/// A pattern without a slash matches only the last name of a path.
public struct Glob: Sendable {
    let isForNames: Bool
    private let pattern: ArraySlice<UInt8>

    private typealias Place = (pattern: ArraySlice<UInt8>, text: ArraySlice<UInt8>)
    private static let star = UInt8(ascii: "*")
    private static let slash = UInt8(ascii: "/")

    /// - Parameter pattern: an empty pattern or a lone slash gives nil.
    public init?(_ pattern: [UInt8]) {
        isForNames = !pattern.contains(Glob.slash)
        self.pattern = pattern.first == Glob.slash ? pattern.dropFirst() : pattern[...]
        if self.pattern.isEmpty { return nil }
    }

    /// - Parameter path: relative to the pattern's folder, without a leading slash.
    public func matches(_ path: ArraySlice<UInt8>) -> Bool {
        guard isForNames, let last = path.lastIndex(of: Glob.slash) else { return fits(path) }
        return fits(path[(last + 1)...])
    }

    private func fits(_ whole: ArraySlice<UInt8>) -> Bool {
        var place: Place = (pattern, whole)
        // Backtracking positions: `*` then takes one more byte, `**` one more folder. Only the last
        // of each is needed, because a later star can match everything that an earlier one can.
        var afterStar: Place?
        var afterFolders: Place?
        while true {
            if place.pattern.first == Glob.star {
                let rest = place.pattern.drop { $0 == Glob.star }
                let isFolders = isBetweenSlashes(place.pattern.startIndex..<rest.startIndex)
                if isFolders && rest.isEmpty { return !place.text.isEmpty }
                place.pattern = isFolders ? rest.dropFirst() : rest
                afterStar = isFolders ? nil : place
                if isFolders { afterFolders = place }
            } else if place.pattern.isEmpty && place.text.isEmpty {
                return true
            } else if let byte = place.text.first, let rest = Glob.step(place.pattern, byte) {
                place = (rest, place.text.dropFirst())
            } else if let last = afterStar, let byte = last.text.first, byte != Glob.slash {
                place = (last.pattern, last.text.dropFirst())
                afterStar = place
            } else if let last = afterFolders, let end = last.text.firstIndex(of: Glob.slash) {
                place = (last.pattern, last.text[(end + 1)...])
                (afterStar, afterFolders) = (nil, place)
            } else {
                return false
            }
        }
    }

    /// Whether the range has at least two stars and is a whole path component.
    private func isBetweenSlashes(_ stars: Range<Int>) -> Bool {
        stars.count > 1
            && (stars.lowerBound == pattern.startIndex
                || pattern[stars.lowerBound - 1] == Glob.slash)
            && (stars.upperBound == pattern.endIndex || pattern[stars.upperBound] == Glob.slash)
    }

    /// The pattern after the part that matches `byte`; nil if it does not match.
    private static func step(
        _ pattern: ArraySlice<UInt8>, _ byte: UInt8
    ) -> ArraySlice<UInt8>? {
        guard let next = pattern.first else { return nil }
        let rest = pattern.dropFirst()
        switch next {
        case UInt8(ascii: "?"): return byte == slash ? nil : rest
        case UInt8(ascii: "["):
            guard let (isIn, rest) = ByteClass.match(rest, byte) else {
                return byte == next ? rest : nil
            }
            return isIn && byte != slash ? rest : nil
        case UInt8(ascii: "\\"): return rest.first == byte ? rest.dropFirst() : nil
        default: return next == byte ? rest : nil
        }
    }
}
