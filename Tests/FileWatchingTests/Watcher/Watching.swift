import Glibc
import RingDispatch
import SystemPackage
import Testing

@testable import FileWatching

/// A watcher of one folder, and its reported changes.
final class Watching: Sendable {
    let folder: Folder
    let watcher: FileTreeWatcher
    let changes = Watched<[FileChange]>([])
    let errors = Watched<[FileTreeError]>([])
    let isReady = Gate()
    let isCancelled = Gate()

    /// Starts watching, and waits until all folders are watched.
    init(
        _ options: (inout FileTreeOptions) -> Void = { $0.window = .nanoseconds(0) },
        reader: SharedInotifyReader = .shared, in folder: Folder = Folder(),
        roots: [FilePath]? = nil, awaitsReadiness: Bool = true
    ) throws {
        self.folder = folder
        var chosen = FileTreeOptions()
        options(&chosen)
        let paths = roots ?? [folder.path]
        let queue = DispatchQueue(label: "test.watching")
        watcher = try FileTreeWatcher(paths, options: chosen, queue: queue, reader: reader)
        watcher.setEventHandler { [changes] batch in
            changes.update { $0 += batch }
        }
        watcher.setErrorHandler { [errors] in errors.append($0) }
        watcher.setReadyHandler { [isReady] in isReady.open() }
        watcher.setCancelHandler { [isCancelled] in isCancelled.open() }
        watcher.activate()
        if awaitsReadiness { expectOpens(isReady) }
    }

    deinit {
        watcher.cancel()
        isCancelled.pass()
    }

    /// The reported changes, as `created a/b`; discovered ones have a `+` in front.
    var reported: [String] { changes.value.map(line) }

    private func line(_ change: FileChange) -> String {
        let from = change.previousPath.map { "\(relative($0)) -> " } ?? ""
        return "\(change.isDiscovered ? "+" : "")\(change.action.rawValue) "
            + "\(from)\(relative(change.path))"
    }

    private func relative(_ path: FilePath) -> String {
        var rest = path
        return rest.removePrefix(folder.path) ? rest.string : path.string
    }

    /// Waits until exactly these lines were reported after the earlier ones.
    @discardableResult
    func expect(
        _ lines: String..., sourceLocation: SourceLocation = #_sourceLocation
    ) -> Bool {
        let holds = changes.wait(seconds: Patience.seconds / 3) { $0.count >= lines.count }
        #expect(holds && reported == lines, "reported \(reported)", sourceLocation: sourceLocation)
        changes.update { $0 = [] }
        return holds
    }

    /// The snapshot, as paths relative to the folder.
    func snapshot() -> [FileTreeEntry] {
        let entries = Watched<[FileTreeEntry]?>(nil)
        watcher.snapshot { found in entries.update { $0 = found } }
        expectEventually(entries) { $0 != nil }
        return entries.value ?? []
    }

    var snapshotPaths: [String] {
        snapshot().map { relative($0.path) }.filter { !$0.isEmpty }
    }
}

extension Folder {
    /// Makes a file, and gives its path.
    @discardableResult
    func makeFile(_ name: String) -> String {
        let path = self(name)
        #expect(Files.write(path, []))
        return path.string
    }

    func makeDirectory(_ name: String) {
        #expect(Files.makeDirectory(self(name)))
    }
}

/// Adds bytes at the end of a file.
func append(_ count: Int, to path: FilePath) {
    #expect(Files.write(path, [UInt8](repeating: 1, count: count), flags: O_WRONLY | O_APPEND))
}
