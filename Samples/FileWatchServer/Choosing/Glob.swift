/// A pattern for paths: `*` and `?` within one component, `[a-z]`, `[!a-z]`, and `**` for any
/// components, as in .gitignore files. Bytes are compared, so `?` is one byte.
///
/// All places in the pattern that a path may have come to are followed at once: no pattern takes
/// more time than its length for each byte of the path.
struct Glob: Sendable {
    private enum Token: Sendable {
        case byte(UInt8)
        case anyByte
        case oneOf([ClosedRange<UInt8>], isNegated: Bool)
        /// `*`
        case anyInComponent
        /// `**`
        case anything
        /// `**/`: no folder, or what `folders` takes.
        case noneOrFolders
        /// Anything that ends with a slash; follows `noneOrFolders`.
        case folders
    }

    static let longestPattern = 1024
    private static let slash = UInt8(ascii: "/")

    private let tokens: [Token]
    /// Without a slash the pattern is for names, wherever they are.
    private let isForNames: Bool

    /// Nil when the pattern is empty or too long.
    init?(_ pattern: [UInt8]) {
        guard !pattern.isEmpty, pattern.count <= Self.longestPattern else { return nil }
        isForNames = !pattern.contains(Self.slash)
        tokens = Self.tokens(pattern.first == Self.slash ? pattern.dropFirst() : pattern[...])
    }

    /// - Parameter path: from the root's folder on, without a slash in front.
    func matches(_ path: ArraySlice<UInt8>) -> Bool {
        guard isForNames, let last = path.lastIndex(of: Self.slash) else { return run(path) }
        return run(path[(last + 1)...])
    }

    // MARK: matching

    private func run(_ text: ArraySlice<UInt8>) -> Bool {
        var places = [Bool](repeating: false, count: tokens.count + 1)
        enter(0, &places)
        for byte in text {
            var following = [Bool](repeating: false, count: tokens.count + 1)
            for index in tokens.indices where places[index] { step(index, byte, &following) }
            places = following
        }
        return places[tokens.count]
    }

    /// Comes to a place, and to those that need no byte from there.
    private func enter(_ index: Int, _ places: inout [Bool]) {
        guard !places[index] else { return }
        places[index] = true
        guard index < tokens.count else { return }
        switch tokens[index] {
        case .anyInComponent, .anything:
            enter(index + 1, &places)
        case .noneOrFolders:
            enter(index + 1, &places)
            enter(index + 2, &places)
        default: break
        }
    }

    private func step(_ index: Int, _ byte: UInt8, _ following: inout [Bool]) {
        switch tokens[index] {
        case .byte(let wanted):
            if byte == wanted { enter(index + 1, &following) }
        case .anyByte:
            if byte != Self.slash { enter(index + 1, &following) }
        case .oneOf(let ranges, let isNegated):
            let isIn = ranges.contains { $0.contains(byte) }
            if isIn != isNegated, byte != Self.slash { enter(index + 1, &following) }
        case .anyInComponent:
            if byte != Self.slash { enter(index, &following) }
        case .anything:
            enter(index, &following)
        case .noneOrFolders: break
        case .folders:
            following[index] = true
            if byte == Self.slash { enter(index + 1, &following) }
        }
    }

    // MARK: reading

    private static func tokens(_ pattern: ArraySlice<UInt8>) -> [Token] {
        var tokens: [Token] = []
        var rest = pattern
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "?"): tokens.append(.anyByte)
            case UInt8(ascii: "*"):
                guard rest.first == byte else {
                    tokens.append(.anyInComponent)
                    continue
                }
                rest = rest.drop { $0 == byte }
                if rest.first == slash {
                    rest.removeFirst()
                    tokens += [.noneOrFolders, .folders]
                } else {
                    tokens.append(.anything)
                }
            case UInt8(ascii: "["): tokens.append(bracket(&rest) ?? .byte(byte))
            case UInt8(ascii: "\\"): tokens.append(.byte(rest.popFirst() ?? byte))
            default: tokens.append(.byte(byte))
            }
        }
        return tokens
    }

    /// Behind a `[`; nil, and nothing is taken, when no `]` follows.
    private static func bracket(_ rest: inout ArraySlice<UInt8>) -> Token? {
        var inside = rest
        let isNegated = inside.first == UInt8(ascii: "!") || inside.first == UInt8(ascii: "^")
        if isNegated { inside.removeFirst() }
        var ranges: [ClosedRange<UInt8>] = []
        // A `]` that comes first is an ordinary one.
        while let first = inside.popFirst(), first != UInt8(ascii: "]") || ranges.isEmpty {
            if inside.first == UInt8(ascii: "-"), let last = inside.dropFirst().first,
                last != UInt8(ascii: "]")
            {
                inside = inside.dropFirst(2)
                ranges.append(first...max(first, last))
            } else {
                ranges.append(first...first)
            }
            if inside.first == UInt8(ascii: "]") {
                inside.removeFirst()
                rest = inside
                return .oneOf(ranges, isNegated: isNegated)
            }
        }
        return nil
    }
}
