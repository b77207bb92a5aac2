import Glibc
import LinuxPlatform
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
        in folder: Folder = Folder(), roots: [FilePath]? = nil,
        mountTable: @escaping @Sendable () -> MountTable = { MountTable() },
        makeInotify: () throws(SystemError) -> any Inotify = { () throws(SystemError) in
            try InotifyDescriptor()
        }
    ) throws {
        self.folder = folder
        var chosen = FileTreeOptions()
        options(&chosen)
        let paths = roots ?? [folder.path]
        let queue = DispatchQueue(label: "test.watching")
        watcher = try FileTreeWatcher(
            paths, options: chosen, queue: queue, mountTable: mountTable,
            makeInotify: makeInotify)
        watcher.setEventHandler { [changes] batch in
            changes.update { $0 += batch }
        }
        watcher.setErrorHandler { [errors] in errors.append($0) }
        watcher.setReadyHandler { [isReady] in isReady.open() }
        watcher.setCancelHandler { [isCancelled] in isCancelled.open() }
        watcher.activate()
        expectOpens(isReady)
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
        let (bytes, prefix) = (path.bytes, folder.path.bytes)
        guard bytes.isPath(below: prefix) else { return path.string }
        return String(decoding: bytes.dropFirst(prefix.count + 1), as: UTF8.self)
    }

    /// Waits until a change of each of these paths is reported.
    func expectChanges(
        of names: [String], _ action: FileChange.Action? = nil,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        var missing = Set(names.map { folder($0).bytes })
        var seen = 0
        expectEventually(changes, sourceLocation: sourceLocation) { changes in
            for change in changes[seen...] where action == nil || change.action == action {
                missing.remove(change.path.bytes)
            }
            seen = changes.count
            return missing.isEmpty
        }
    }

    /// Waits until exactly these lines were reported after the earlier ones.
    func expect(_ lines: String..., sourceLocation: SourceLocation = #_sourceLocation) {
        _ = changes.wait(seconds: Patience.seconds) { $0.count >= lines.count }
        let reported = changes.update { changes in
            defer { changes = [] }
            return changes.map(line)
        }
        #expect(reported == lines, sourceLocation: sourceLocation)
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
