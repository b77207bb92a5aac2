import FileWatching
import RingDispatch

/// The expected changes after a group of operations, with alternatives.
struct Expectation: Sendable {
    let line: Int
    /// The windows that it applies to; nil: all.
    private var windowsMilliseconds: [Int]?
    /// Any changes match.
    private var isAnything = false
    private var ways: [ChangeList]

    /// Parses the words after `expect`: windows, `unordered`, `anything`.
    init?(_ words: ArraySlice<Substring>, line: Int) {
        self.line = line
        ways = [ChangeList(isOrdered: !words.contains("unordered"))]
        for word in words where word != "unordered" {
            if word == "anything" {
                isAnything = true
            } else if let window = Int(word) {
                windowsMilliseconds = (windowsMilliseconds ?? []) + [window]
            } else {
                return nil
            }
        }
    }

    /// Starts an alternative (`or`).
    mutating func addWay(isOrdered: Bool) {
        ways.append(ChangeList(isOrdered: isOrdered))
    }

    mutating func add(_ pattern: ChangePattern) {
        ways[ways.count - 1].patterns.append(pattern)
    }

    func applies(toWindow milliseconds: Int) -> Bool {
        windowsMilliseconds?.contains(milliseconds) ?? true
    }

    func isMet(by changes: [FileChange], in tree: [UInt8]) -> Bool {
        isAnything || ways.contains { $0.isMet(by: changes, in: tree) }
    }
}

/// One alternative: a list of change patterns.
struct ChangeList: Sendable {
    let isOrdered: Bool
    var patterns: [ChangePattern] = []

    init(isOrdered: Bool) { self.isOrdered = isOrdered }

    func isMet(by changes: [FileChange], in tree: [UInt8]) -> Bool {
        isOrdered ? isMetInOrder(by: changes, in: tree) : isMetInAnyOrder(by: changes, in: tree)
    }

    /// Matches the changes against the patterns, tracking all possibilities at once. A position is
    /// the index of the pattern that may match next.
    private func isMetInOrder(by changes: [FileChange], in tree: [UInt8]) -> Bool {
        // One or more: one, then any number.
        let patterns = patterns.flatMap { pattern in
            pattern.isRepeated && !pattern.isOptional
                ? [pattern.once, pattern.anyNumber] : [pattern]
        }
        func withSkipped(_ positions: Set<Int>) -> Set<Int> {
            positions.union(
                positions.flatMap { position in
                    let optional = patterns[position...].prefix { $0.isOptional }
                    return position...position + optional.count
                })
        }
        var positions = withSkipped([0])
        for change in changes {
            var next: Set<Int> = []
            for position in positions where position < patterns.count {
                let pattern = patterns[position]
                guard pattern.matches(change, in: tree) else { continue }
                next.insert(pattern.isRepeated ? position : position + 1)
            }
            positions = withSkipped(next)
        }
        return positions.contains(patterns.count)
    }

    /// Each change matches the first pattern that has not been used up.
    private func isMetInAnyOrder(by changes: [FileChange], in tree: [UInt8]) -> Bool {
        var counts = Array(repeating: 0, count: patterns.count)
        for change in changes {
            let taker = patterns.indices.first {
                (counts[$0] == 0 || patterns[$0].isRepeated)
                    && patterns[$0].matches(change, in: tree)
            }
            guard let taker else { return false }
            counts[taker] += 1
        }
        return patterns.indices.allSatisfy { counts[$0] > 0 || patterns[$0].isOptional }
    }
}

/// One line of an expectation.
struct ChangePattern: Sendable {
    private let action: FileChange.Action
    /// Nil: any.
    private let kind: FileChange.Kind?
    private let path: [UInt8]
    private let previousPath: [UInt8]?
    private let mustBeDiscovered: Bool
    private(set) var isRepeated: Bool
    private(set) var isOptional: Bool

    /// Parses `modified file a/b` or `renamed directory a -> b`, with the marks after it.
    init?(_ words: [Substring]) {
        var words = words[...]
        var marks: Set<Substring> = []
        while let last = words.last, ["+", "?", "*", "discovered"].contains(last) {
            marks.insert(last)
            words.removeLast()
        }
        guard words.count >= 3,
            let action = FileChange.Action(rawValue: String(words.removeFirst()))
        else { return nil }
        self.action = action
        let kind = words.removeFirst()
        self.kind = FileChange.Kind(rawValue: String(kind))
        guard self.kind != nil || kind == "any" else { return nil }
        let paths = words.filter { $0 != "->" }.compactMap(unescaped)
        guard paths.count == (action == .renamed ? 2 : 1) else { return nil }
        path = paths.last!
        previousPath = action == .renamed ? paths[0] : nil
        mustBeDiscovered = marks.contains("discovered")
        isRepeated = marks.contains("+") || marks.contains("*")
        isOptional = marks.contains("?") || marks.contains("*")
    }

    var once: ChangePattern {
        var copy = self
        copy.isRepeated = false
        return copy
    }

    var anyNumber: ChangePattern {
        var copy = self
        (copy.isRepeated, copy.isOptional) = (true, true)
        return copy
    }

    func matches(_ change: FileChange, in tree: [UInt8]) -> Bool {
        change.action == action && (kind == nil || change.kind == kind)
            && change.path.bytes == tree.resolved(path)
            && change.previousPath?.bytes == previousPath.map(tree.resolved)
            && (change.isDiscovered || !mustBeDiscovered)
    }
}

extension [UInt8] {
    /// The path of an entry, given its path relative to this one. In bytes, since `FilePath` is
    /// slow in a build for debugging.
    func resolved(_ relative: [UInt8]) -> [UInt8] {
        var names = split(separator: 0x2f)
        for name in relative.split(separator: 0x2f) where name != [0x2e] {
            if name == [0x2e, 0x2e] { names.removeLast() } else { names.append(name) }
        }
        return names.flatMap { [0x2f] + $0 }
    }
}
