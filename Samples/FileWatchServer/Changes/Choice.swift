import FileWatching

/// The changes that a client has chosen to receive; initially all.
struct Choice: Sendable {
    /// Files and folders, including everything below them. Empty: all paths.
    private let paths: [[UInt8]]
    /// A change has to match one of these. Empty: all changes.
    private let globs: [Glob]
    private let roots: [[UInt8]]
    /// The work of comparing one event, in bytes of paths and globs; at least 1.
    let bytesPerEvent: Int

    private static let slash = UInt8(ascii: "/")

    static let everything = Choice(paths: [], globs: [], globBytes: 0, roots: [])

    /// - Parameters:
    ///   - paths: absolute as in events, or relative to a root.
    ///   - roots: the watched paths.
    init(paths: [[UInt8]], globs: [Glob], globBytes: Int, roots: [[UInt8]]) {
        self.roots = roots
        self.globs = globs
        self.paths = paths.flatMap { path in
            var path = path
            while path.count > 1, path.last == Self.slash { path.removeLast() }
            if path.starts(with: Array("./".utf8)) { path.removeFirst(2) }
            if path.first == Self.slash { return [path] }
            if path == Array(".".utf8) { return roots }
            return roots.map { $0 + ($0.last == Self.slash ? [] : [Self.slash]) + path }
        }
        bytesPerEvent = self.paths.reduce(globBytes + 1) { $0 + $1.count }
    }

    func wants(_ event: Event) -> Bool {
        if event.concernsEverything || paths.isEmpty && globs.isEmpty { return true }
        return wants(event.path, event) || event.from.map { wants($0, event) } ?? false
    }

    private func wants(_ path: [UInt8], _ event: Event) -> Bool {
        let isChosen =
            paths.isEmpty
            || paths.contains { chosen in
                // A renamed or removed folder affects the chosen paths below it.
                Self.isSame(path, orBelow: chosen)
                    || event.movesContents && Self.isSame(chosen, orBelow: path)
            }
        guard isChosen, !globs.isEmpty else { return isChosen }
        if event.movesContents { return true }
        let relative = relativePath(path)
        return globs.contains { $0.matches(relative) }
    }

    private static func isSame(_ path: [UInt8], orBelow folder: [UInt8]) -> Bool {
        guard path.starts(with: folder) else { return false }
        return path.count == folder.count || folder.last == slash || path[folder.count] == slash
    }

    private func relativePath(_ path: [UInt8]) -> ArraySlice<UInt8> {
        let root = roots.filter { Self.isSame(path, orBelow: $0) }.max { $0.count < $1.count }
        guard let root, path.count > root.count else { return path[...] }
        return path[root.count...].drop { $0 == Self.slash }
    }
}
