@testable import FileWatching
import Glibc
import RingDispatch
import SystemPackage
import Testing

/// Many simultaneous changes. Afterwards the state that the changes describe must equal the disk.
struct Storm {
    /// FILEWATCHING_STORMS=whole in the environment runs the storms in full size, ten times; the
    /// default is smaller.
    static let isWhole = getenv("FILEWATCHING_STORMS").map { String(cString: $0) } == "whole"

    /// The time after which a test counts as hung.
    static let limitSeconds = isWhole ? 3600 : Watchdog.usualLimitSeconds

    static let windowsMilliseconds = [50, 0]

    let folder = Folder()
    let tree: FilePath
    private let observer: TreeObserver
    private let initial: [[UInt8]: Disk.Entry]
    private let ignoredPath: [UInt8]?

    /// Watches a prepared tree.
    /// - Parameters:
    ///   - ignoredName: a folder in the tree to ignore.
    ///   - reader: the shared one, or one for this storm alone.
    init(
        windowMilliseconds: Int, ignoring ignoredName: String? = nil,
        reader: SharedInotifyReader = .shared, prepare: (FilePath) throws -> Void = { _ in }
    ) throws {
        let tree = folder("tree")
        self.tree = tree
        ignoredPath = ignoredName.map { tree.appending($0).bytes }
        #expect(Files.makeDirectory(tree) && Files.makeDirectory(folder("beside")))
        try prepare(tree)
        initial = Disk.tree(at: tree)
        var options = FileTreeOptions()
        options.window = .milliseconds(windowMilliseconds)
        options.ignore = ignoredName.map { ["/\($0)/"] } ?? []
        observer = try TreeObserver([tree], options: options, reader: reader)
    }

    private func isIgnored(_ path: [UInt8]) -> Bool {
        ignoredPath.map { path.isPath(below: $0) } ?? false
    }

    /// Waits until all changes so far are reported.
    func catchUp() { observer.passFence() }

    /// The changes so far, and what the library counted.
    var changes: [FileChange] { observer.received.value.map(\.change) }
    var statistics: FileTreeStatistics { observer.watcher.statistics }

    /// Compares the reported changes with the disk.
    func check(_ comment: String = "", sourceLocation: SourceLocation = #_sourceLocation) {
        observer.passFence(sourceLocation: sourceLocation)
        var (contradictions, differences): ([String], [String]) = ([], [])
        // New folders may still be scanned; each change may be the last.
        repeat {
            let count = observer.received.value.count
            let model = observer.model(from: initial.filter { !isIgnored($0.key) })
            contradictions = model.contradictions
            differences = model.differences(below: tree, isIgnored: isIgnored)
            if differences.isEmpty || !contradictions.isEmpty { break }
            let hasMore = observer.received.wait(seconds: Self.graceSeconds) { $0.count > count }
            if !hasMore { break }
        } while true
        report(contradictions, comment, sourceLocation)
        report(differences, comment, sourceLocation)
        report(
            observer.snapshotDifferences(below: [tree], isIgnored: isIgnored), comment,
            sourceLocation)
    }

    private static let graceSeconds = 5

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
