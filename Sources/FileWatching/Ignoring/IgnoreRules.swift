internal import LinuxPlatform

/// Decides which entries a watcher ignores, by the patterns of its options and of the tree's
/// `.gitignore` files.
struct IgnoreRules {
    private let given: [IgnorePattern]
    private let readsFiles: Bool
    /// The patterns of the folders that have a `.gitignore` file.
    private var ofFolders: [NodeNumber: [IgnorePattern]] = [:]
    /// The number of these patterns.
    private var count = 0

    private static let fileName = Array(".gitignore".utf8)
    /// Bytes after this limit are ignored.
    static let longestFile = 1 << 20
    /// Of all folders. Further files are not read.
    static let mostPatterns = 200_000
    private static let tooMany = RepeatedLine()

    init(_ options: FileTreeOptions) {
        given = options.ignore.compactMap { IgnorePattern($0.utf8) }
        readsFiles = options.readsGitignore
    }

    // MARK: files

    func areRead(from name: UnsafeRawBufferPointer) -> Bool {
        readsFiles && name.elementsEqual(IgnoreRules.fileName)
    }

    /// The text of an open folder's `.gitignore` file; nil if there is none.
    static func text(in folder: Int32) throws(SystemError) -> [UInt8]? {
        try FolderReader.contents(of: fileName + [0], in: folder, limit: longestFile)
    }

    /// Replaces a folder's patterns.
    /// - Parameter text: of the folder's `.gitignore` file; nil if there is none.
    mutating func set(_ text: [UInt8]?, of folder: NodeNumber) {
        forget(folder)
        guard let text else { return }
        let patterns = text.split(separator: UInt8(ascii: "\n")).compactMap { IgnorePattern($0) }
        guard !patterns.isEmpty else { return }
        guard count + patterns.count <= IgnoreRules.mostPatterns else {
            return IgnoreRules.tooMany.log(
                "a watcher does not read further .gitignore files: those of its tree have more "
                    + "than \(IgnoreRules.mostPatterns) patterns")
        }
        count += patterns.count
        ofFolders[folder] = patterns
    }

    mutating func forget(_ folder: NodeNumber) {
        count -= ofFolders.removeValue(forKey: folder)?.count ?? 0
    }

    // MARK: matching

    /// Whether what is ignored in a folder may change if it moves between these folders: other
    /// patterns apply there, or patterns that are compared with its path.
    func mayDiffer(_ old: NodeNumber, _ new: NodeNumber, _ tree: FileTree) -> Bool {
        let owners = owners(above: old, tree)
        return owners != self.owners(above: new, tree)
            || ([given] + owners.compactMap { ofFolders[$0] }).joined()
                .contains { !$0.glob.isForNames }
    }

    /// The folders whose patterns apply in a folder.
    private func owners(above folder: NodeNumber, _ tree: FileTree) -> [NodeNumber] {
        guard !ofFolders.isEmpty else { return [] }
        return tree.lineage(of: folder).filter { ofFolders[$0] != nil }
    }

    /// Whether an entry of a folder is ignored. The folder itself is not.
    func ignores(
        _ name: UnsafeRawBufferPointer, _ isFolder: Bool, in folder: NodeNumber, _ tree: FileTree
    ) -> Bool {
        guard !given.isEmpty || !ofFolders.isEmpty else { return false }
        // The path from the root, its last byte first, and the lengths from folders with patterns.
        var path = Array(name.reversed())
        var own: [(patterns: [IgnorePattern], length: Int)] = []
        for node in tree.lineage(of: folder) {
            if let patterns = ofFolders[node] { own.append((patterns, path.count)) }
            guard tree[node].parent != 0 else { break }
            path.append(UInt8(ascii: "/"))
            tree.confined.names.withName(of: tree[node]) { path.append(contentsOf: $0.reversed()) }
        }
        path.reverse()
        own.insert((given, path.count), at: 0)
        for (patterns, length) in own {
            let path = path.suffix(length)
            // The last matching pattern decides.
            let last = patterns.last { (isFolder || !$0.isForFolders) && $0.glob.matches(path) }
            if let last { return !last.isNegated }
        }
        return false
    }
}
