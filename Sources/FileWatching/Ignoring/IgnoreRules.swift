internal import LinuxPlatform

/// Decides which entries a watcher ignores, by the patterns of its options and of the tree's
/// `.gitignore` files.
struct IgnoreRules {
    private let given: [IgnorePattern]
    let readsFiles: Bool
    /// The patterns of the folders that have a `.gitignore` file.
    private var ofFolders: [NodeNumber: [IgnorePattern]] = [:]

    private static let fileName = Array(".gitignore".utf8)
    /// Bytes after this limit are ignored.
    static let longestFile = 1 << 20

    init(_ options: FileTreeOptions) {
        given = options.ignore.compactMap { IgnorePattern($0.utf8) }
        readsFiles = options.readsGitignore
    }

    // MARK: files

    func areRead(from name: UnsafeRawBufferPointer) -> Bool {
        readsFiles && name.elementsEqual(IgnoreRules.fileName)
    }

    /// The text of an open folder's `.gitignore` file; nil if there is none.
    static func text(in folder: Int32) -> [UInt8]? {
        FolderReader.contents(of: fileName + [0], in: folder, limit: longestFile)
    }

    /// Replaces a folder's patterns.
    /// - Parameter text: of the folder's `.gitignore` file; nil if there is none.
    mutating func set(_ text: [UInt8]?, of folder: NodeNumber) {
        forget(folder)
        guard let text else { return }
        let patterns = text.split(separator: UInt8(ascii: "\n")).compactMap { IgnorePattern($0) }
        if !patterns.isEmpty { ofFolders[folder] = patterns }
    }

    mutating func forget(_ folder: NodeNumber) {
        if !ofFolders.isEmpty { ofFolders[folder] = nil }
    }

    // MARK: matching

    /// Whether an entry of a folder is ignored. The folder itself is not.
    func ignores(
        _ name: UnsafeRawBufferPointer, _ isFolder: Bool, in folder: NodeNumber, _ tree: FileTree
    ) -> Bool {
        guard !given.isEmpty || !ofFolders.isEmpty else { return false }
        let (path, starts) = relativePath(name, in: folder, tree)
        if let verdict = IgnoreRules.verdict(given, path[...], isFolder) { return verdict }
        guard !ofFolders.isEmpty else { return false }
        for (folder, start) in starts.reversed() {
            guard let patterns = ofFolders[folder] else { continue }
            if let verdict = IgnoreRules.verdict(patterns, path[start...], isFolder) {
                return verdict
            }
        }
        return false
    }

    /// The entry's path relative to the root, and the offset in it where the path relative to each
    /// folder starts.
    private func relativePath(
        _ name: UnsafeRawBufferPointer, in folder: NodeNumber, _ tree: FileTree
    ) -> (path: [UInt8], starts: [(NodeNumber, Int)]) {
        var chain: [NodeNumber] = []
        var node = folder
        while node != 0 {
            chain.append(node)
            node = tree[node].parent
        }
        var path: [UInt8] = []
        var starts: [(NodeNumber, Int)] = []
        for node in chain.reversed() {
            if tree[node].parent != 0 {
                tree.confined.names.withName(of: tree[node]) { path.append(contentsOf: $0) }
                path.append(UInt8(ascii: "/"))
            }
            starts.append((node, path.count))
        }
        path.append(contentsOf: name)
        return (path, starts)
    }

    /// The last matching pattern decides; nil if none matches.
    private static func verdict(
        _ patterns: [IgnorePattern], _ path: ArraySlice<UInt8>, _ isFolder: Bool
    ) -> Bool? {
        patterns.last { (isFolder || !$0.isForFolders) && $0.glob.matches(path) }
            .map { !$0.isNegated }
    }
}
