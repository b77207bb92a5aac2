@testable import FileWatching
import Glibc
import RingDispatch
import SystemPackage
import Testing

/// Many simultaneous changes. Afterwards the state that the changes describe must equal the disk.
struct Storm {
    static var watchdog: Watchdog {
        var watchdog = Watchdog.watchdog
        if isDeep { watchdog.limitSeconds = 3600 }
        return watchdog
    }

    static let windowsMilliseconds = [50, 0]

    let folder = Folder(in: Folder.placeForMany)
    let tree: FilePath
    let observer: TreeObserver
    private let model: TreeModel
    private let ignoredPath: [UInt8]?

    /// Watches a prepared tree.
    /// - Parameters:
    ///   - ignoredName: an entry of the tree to ignore.
    init(
        windowMilliseconds: Int, ignoring ignoredName: String? = nil,
        prepare: (FilePath) throws -> Void = { _ in }
    ) throws {
        let tree = folder("tree")
        self.tree = tree
        let ignoredPath = ignoredName.map { tree.appending($0).bytes }
        self.ignoredPath = ignoredPath
        #expect(Files.makeDirectory(tree) && Files.makeDirectory(folder("beside")))
        try prepare(tree)
        let initial = Disk.tree(at: tree).filter { !Self.isIgnored($0.key, ignoredPath) }
        model = TreeModel(initial, roots: [tree])
        var options = FileTreeOptions()
        options.window = .milliseconds(windowMilliseconds)
        options.ignore = ignoredName.map { ["/\($0)"] } ?? []
        observer = try TreeObserver([tree], options: options)
    }

    private static func isIgnored(_ path: [UInt8], _ ignoredPath: [UInt8]?) -> Bool {
        ignoredPath.map { path.isPath(below: $0) } ?? false
    }

    /// The changes so far, and what the library counted.
    var changes: [FileChange] { observer.received.value.map(\.change) }
    var statistics: FileTreeStatistics { observer.watcher.statistics }

    /// Compares the reported changes with the disk.
    func check(_ comment: String = "", sourceLocation: SourceLocation = #_sourceLocation) {
        observer.passFence(sourceLocation: sourceLocation)
        let isIgnored = { Self.isIgnored($0, ignoredPath) }
        var differences: [String] = []
        // New folders may still be scanned; each change may be the last.
        repeat {
            let received = observer.received.value
            model.apply(received)
            differences = model.differences(below: tree, isIgnored: isIgnored)
            if differences.isEmpty || !model.contradictions.isEmpty { break }
            let hasMore = observer.received.wait(seconds: Patience.seconds) {
                $0.count > received.count
            }
            if !hasMore { break }
        } while true
        if differences.isEmpty { model.note(tree) }
        report(model.contradictions, comment, sourceLocation)
        report(differences, comment, sourceLocation)
        report(
            observer.snapshotDifferences(below: [tree], isIgnored: isIgnored), comment,
            sourceLocation)
    }

    private func report(
        _ findings: [String], _ comment: String, _ sourceLocation: SourceLocation
    ) {
        let list = findings.prefix(10).joined(separator: "\n")
        #expect(
            findings.isEmpty, "\(comment) \(findings.count) findings:\n\(list)",
            sourceLocation: sourceLocation)
    }

    /// Ends the watcher.
    /// - Parameter reason: the only reason that reported errors may have.
    func end(allowing reason: FileTreeError.Reason? = nil) {
        let errors = observer.errors.value.filter { $0.reason != reason }
        #expect(errors.isEmpty)
        observer.end()
    }
}
