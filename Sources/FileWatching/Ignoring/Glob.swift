internal import LinuxPlatform

/// A path pattern with the syntax of `.gitignore`: `*`, `?` and `[...]` match within a name, and
/// `**` between slashes matches any number of folders. Patterns match bytes, so `?` stands for one
/// byte (unless the program calls setlocale(3)). A slash ends a name, in brackets, too.
///
/// A pattern without a slash matches only the last name of a path.
public struct Glob: Sendable {
    let isForNames: Bool
    private let parts: [Part]

    private enum Part {
        case name(NamePattern)
        /// `**`: any number of folders.
        case folders
        /// `**` at the end: anything that is not empty.
        case rest
    }

    private static let slash = UInt8(ascii: "/")

    /// - Parameter pattern: an empty pattern or a lone slash gives nil.
    public init?(_ pattern: [UInt8]) {
        isForNames = !pattern.contains(Glob.slash)
        let pattern = pattern.first == Glob.slash ? pattern.dropFirst() : pattern[...]
        if pattern.isEmpty { return nil }
        var parts = Glob.names(pattern).map { name in
            name.count > 1 && name.allSatisfy { $0 == UInt8(ascii: "*") }
                ? Part.folders : .name(NamePattern(name))
        }
        if case .folders? = parts.last { parts[parts.count - 1] = .rest }
        self.parts = parts
    }

    /// The pattern's parts between slashes.
    private static func names(_ pattern: ArraySlice<UInt8>) -> [[UInt8]] {
        var names: [[UInt8]] = [[]]
        var isEscaped = false
        for byte in pattern {
            if byte == slash {
                if isEscaped { names[names.count - 1].removeLast() }
                names.append([])
            } else {
                names[names.count - 1].append(byte)
            }
            isEscaped = byte == UInt8(ascii: "\\") && !isEscaped
        }
        return names
    }

    /// - Parameter path: relative to the pattern's folder, without a leading slash.
    public func matches(_ path: ArraySlice<UInt8>) -> Bool {
        guard isForNames else {
            return fits(path.split(separator: Glob.slash, omittingEmptySubsequences: false))
        }
        let start = path.lastIndex(of: Glob.slash).map { $0 + 1 } ?? path.startIndex
        guard case .name(let pattern)? = parts.last else { return start < path.endIndex }
        return pattern.matches(path[start...])
    }

    private func fits(_ names: [ArraySlice<UInt8>]) -> Bool {
        var (part, name) = (0, 0)
        // The last `**` then takes one more folder: it can match all that an earlier one can.
        var retry: (part: Int, name: Int)?
        while part < parts.count || name < names.count {
            if part < parts.count, case .rest = parts[part] {
                return name < names.count && !(name == names.count - 1 && names[name].isEmpty)
            } else if part < parts.count, case .folders = parts[part] {
                part += 1
                retry = (part, name)
            } else if part < parts.count, name < names.count,
                case .name(let pattern) = parts[part], pattern.matches(names[name])
            {
                (part, name) = (part + 1, name + 1)
            } else if let last = retry, last.name < names.count {
                (part, name) = (last.part, last.name + 1)
                retry = (part, name)
            } else {
                return false
            }
        }
        return true
    }
}
