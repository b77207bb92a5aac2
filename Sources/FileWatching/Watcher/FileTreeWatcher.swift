internal import LinuxPlatform
public import RingDispatch
public import SystemPackage

/// Watches files and trees of folders, and reports each change so that observers converge on the
/// actual state.
///
/// A folder is watched before it is scanned, so that nothing made in it is missed; what both the
/// scan and the kernel report is reported once. The process watches each folder once, however many
/// watchers there are. The handlers run on your queue, one at a time; set them before `activate`.
/// When its last reference goes, a watcher ends without calling its cancel handler.
///
/// A root may be a file: it is watched by its name, and so stays watched when an editor puts
/// another in its place. A root that is removed is reported as `removed`, and watched again
/// when it is made again. A relative root counts from the current directory, which must not change.
public final class FileTreeWatcher: Sendable {
    let engine: WatchEngine
    /// What was asked for.
    public let options: FileTreeOptions

    /// Throws a ``FileTreeError`` when a root is not there or may not be read, or the user has no
    /// inotify instance left.
    /// - Parameter queue: where handlers run.
    public convenience init(
        _ roots: [FilePath], options: FileTreeOptions = FileTreeOptions(), queue: DispatchQueue
    ) throws {
        try self.init(roots, options: options, queue: queue, reader: .shared)
    }

    init(
        _ roots: [FilePath], options: FileTreeOptions, queue: DispatchQueue,
        reader: SharedInotifyReader
    ) throws {
        for root in roots { try FileTreeWatcher.check(root) }
        self.options = options
        engine = WatchEngine(roots, options, reader, queue)
        do throws(SystemError) {
            engine.number = try reader.join { [engine] in engine.take($0) }
        } catch {
            throw FileTreeError(instanceFor: roots.first ?? FilePath(""), error)
        }
    }

    private static func check(_ root: FilePath) throws {
        let reader = FolderReader()
        let bytes = root.terminatedBytes
        do throws(SystemError) {
            let facts = FolderEntryFacts(path: bytes, followsLinks: true)
            if let facts, facts.kind != .directory { return }
            try reader.open(path: bytes, followsLink: true)
        } catch {
            throw FileTreeError(watching: root, error)
        }
    }

    deinit { engine.cancel() }

    // MARK: handlers

    /// Called with the changes, in their order, some at a time.
    public func setEventHandler(_ handler: (@Sendable ([FileChange]) -> Void)?) {
        engine.reporter.set { $0.event = handler }
    }

    /// Called once, when all folders are watched and scanned: every change from now on is reported.
    public func setReadyHandler(_ handler: (@Sendable () -> Void)?) {
        engine.reporter.set { $0.ready = handler }
    }

    /// Called when a folder cannot be watched, while all others are, and when the kernel has lost
    /// events.
    public func setErrorHandler(_ handler: (@Sendable (FileTreeError) -> Void)?) {
        engine.reporter.set { $0.error = handler }
    }

    /// Called last, after ``cancel()``, when the kernel's watches have been given back.
    public func setCancelHandler(_ handler: (@Sendable () -> Void)?) {
        engine.reporter.set { $0.cancel = handler }
    }

    // MARK: life

    /// Begins to watch.
    public func activate() { engine.activate() }

    /// Ends watching. No handler begins afterwards but the cancel handler.
    public func cancel() {
        engine.reporter.silence()
        engine.cancel()
    }

    // MARK: questions

    /// The changes from now on, for `for await`. Each call gives a sequence with all of them.
    /// - Parameters:
    ///   - bound: how many changes may wait for the task.
    ///   - whenFull: what happens when more are waiting.
    public func changes(
        bound: Int = 1024, whenFull: FileChangeSequence.FullPolicy = .dropOldest
    ) -> FileChangeSequence {
        let buffer = FileChangeBuffer(bound: bound, policy: whenFull)
        engine.reporter.addBuffer(buffer)
        return FileChangeSequence(buffer: buffer)
    }

    /// Calls `body` on the watcher's queue with all known entries, sorted by path: the state that
    /// the changes reported so far lead to.
    public func snapshot(_ body: @escaping @Sendable ([FileTreeEntry]) -> Void) {
        engine.snapshot(body)
    }

    /// What the watcher holds now, and what it has done so far.
    public var statistics: FileTreeStatistics {
        var counts = engine.statistics.withLock { $0 }
        counts.dropped = engine.reporter.dropped
        return counts
    }
}
