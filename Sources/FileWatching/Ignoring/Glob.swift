/// A pattern for paths, as git understands them in `.gitignore` files: `*`, `?` and `[...]` within
/// a name, and `**` between slashes for any number of folders. Bytes are compared, so `?` stands
/// for one byte.
///
/// A pattern without a slash is compared with the last name of a path only.
public struct Glob: Sendable {
    let isForNames: Bool
    private let pattern: ArraySlice<UInt8>

    private typealias Place = (pattern: ArraySlice<UInt8>, text: ArraySlice<UInt8>)
    private static let star = UInt8(ascii: "*")
    private static let slash = UInt8(ascii: "/")

    /// - Parameter pattern: nothing but a slash in front gives nil.
    public init?(_ pattern: [UInt8]) {
        isForNames = !pattern.contains(Glob.slash)
        self.pattern = pattern.first == Glob.slash ? pattern.dropFirst() : pattern[...]
        if self.pattern.isEmpty { return nil }
    }

    /// - Parameter path: relative to the folder that the pattern is for, without a slash in front.
    public func matches(_ path: ArraySlice<UInt8>) -> Bool {
        guard isForNames, let last = path.lastIndex(of: Glob.slash) else { return fits(path) }
        return fits(path[(last + 1)...])
    }

    private func fits(_ whole: ArraySlice<UInt8>) -> Bool {
        var place: Place = (pattern, whole)
        // Where to try again when the rest does not fit: what `*` takes is one byte longer then,
        // what `**` takes is one folder more. Only the last of each matters: whatever an earlier
        // one can take, the later one can take as well.
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

    /// Whether stars are at least two, with nothing but slashes beside them.
    private func isBetweenSlashes(_ stars: Range<Int>) -> Bool {
        stars.count > 1
            && (stars.lowerBound == pattern.startIndex
                || pattern[stars.lowerBound - 1] == Glob.slash)
            && (stars.upperBound == pattern.endIndex || pattern[stars.upperBound] == Glob.slash)
    }

    /// The rest of the pattern after what stands for one byte; nil: the byte does not fit.
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
