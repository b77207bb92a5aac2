internal import LinuxPlatform
public import RingDispatch
public import SystemPackage

/// Watches files and trees of folders, and reports each change so that observers converge on the
/// actual state.
///
/// A folder is watched before it is scanned, so that no new entry is missed; a change found by the
/// scan and reported by the kernel is reported once. Each watcher takes one of the user's inotify
/// instances (`fs.inotify.max_user_instances`, 128 by default); it may have many roots. Handlers
/// run on your queue, one at a time; set them before `activate`. A watcher whose last reference is
/// released ends without calling its cancel handler.
///
/// A root may be a file: it is watched by name, so it stays watched when an editor replaces it. A
/// removed root is reported as `removed`, and is watched again when it is created again. A relative
/// root is resolved against the current directory, which must not change.
public final class FileTreeWatcher: Sendable {
    let engine: WatchEngine
    /// The options passed to the initializer.
    public let options: FileTreeOptions

    /// - Parameters:
    ///   - roots: folders, or single files.
    ///   - options: what is watched, and how changes are coalesced.
    ///   - queue: the queue that handlers run on.
    /// - Throws: ``FileTreeError``, if a root does not exist, a folder among them cannot be read,
    ///   or the user's limit of inotify instances is reached. A file that cannot be read is an
    ///   error of the error handler.
    public convenience init(
        _ roots: [FilePath], options: FileTreeOptions = FileTreeOptions(), queue: DispatchQueue
    ) throws {
        try self.init(roots, options: options, queue: queue) { () throws(SystemError) in
            try InotifyDescriptor()
        }
    }

    init(
        _ roots: [FilePath], options: FileTreeOptions, queue: DispatchQueue,
        mountTable: @escaping @Sendable () -> MountTable = { MountTable() },
        makeInotify: () throws(SystemError) -> any Inotify
    ) throws {
        for root in roots { try FileTreeWatcher.check(root) }
        self.options = options
        engine = WatchEngine(roots, options, queue, mountTable: mountTable)
        do throws(SystemError) {
            try engine.open(makeInotify())
        } catch {
            throw FileTreeError(instanceFor: roots.first ?? FilePath(""), error)
        }
    }

    private static func check(_ root: FilePath) throws {
        let reader = FolderReader()
        let bytes = root.terminatedBytes
        do throws(SystemError) {
            let facts = try? FolderEntryFacts(path: bytes, followsLinks: true)
            if let facts, facts.kind != .directory { return }
            try reader.open(path: bytes, followsLink: true)
        } catch {
            throw FileTreeError(watching: root, error)
        }
    }

    deinit {
        engine.reporter.silence(isReleased: true)
        engine.cancel()
    }

    // MARK: handlers

    /// Sets the handler that receives the changes, in order and in batches.
    public func setEventHandler(_ handler: (@Sendable ([FileChange]) -> Void)?) {
        engine.reporter.set { $0.event = handler }
    }

    /// Sets the handler that is called once, when all folders are watched and scanned: from then on
    /// every change is reported, except in folders that the error handler has named.
    public func setReadyHandler(_ handler: (@Sendable () -> Void)?) {
        engine.reporter.set { $0.ready = handler }
    }

    /// Sets the handler that is called when a folder cannot be watched, or only later; when the
    /// kernel lost events; and for each file system whose changes the kernel does not all report
    /// (`sharedFileSystem`). The other folders stay watched.
    public func setErrorHandler(_ handler: (@Sendable (FileTreeError) -> Void)?) {
        engine.reporter.set { $0.error = handler }
    }

    /// Sets the handler that is called last, after ``cancel()``, when the kernel's watches are
    /// removed.
    public func setCancelHandler(_ handler: (@Sendable () -> Void)?) {
        engine.reporter.set { $0.cancel = handler }
    }

    // MARK: life

    /// Starts watching.
    public func activate() { engine.activate() }

    /// Stops watching, from any thread, also before `activate`. Changes that were not reported yet
    /// are dropped, and the sequences end. No handler starts afterwards but the cancel handler; one
    /// that is starting on another thread still ends. A second call does nothing.
    public func cancel() {
        engine.reporter.silence()
        engine.cancel()
    }

    // MARK: questions

    /// The changes from now on, for `for await`. Each call returns an independent sequence of all
    /// changes.
    /// - Parameters:
    ///   - bound: how many changes may wait for the task; less than 2 counts as 2.
    ///   - whenFull: the policy when more are waiting.
    public func changes(
        bound: Int = 1024, whenFull: FileChangeSequence.FullPolicy = .dropOldest
    ) -> FileChangeSequence {
        let sequence = FileChangeSequence(bound: bound, policy: whenFull)
        engine.reporter.add(sequence.buffer)
        return sequence
    }

    /// Calls `body` on the watcher's queue with all known entries, sorted by path: the state after
    /// the changes reported so far. After ``cancel()``, there are none.
    public func snapshot(_ body: @escaping @Sendable ([FileTreeEntry]) -> Void) {
        engine.snapshot(body)
    }

    /// The watcher's counters.
    public var statistics: FileTreeStatistics {
        var counts = engine.statistics.withLock { $0 }
        counts.dropped = engine.reporter.dropped
        return counts
    }
}
