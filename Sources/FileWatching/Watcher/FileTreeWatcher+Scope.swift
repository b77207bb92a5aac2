internal import RingDispatch
public import SystemPackage

extension FileTreeWatcher {
    /// Watches for as long as `body` runs, which gets the changes to iterate over. It is called
    /// when all folders are watched and scanned: every later change is in the sequence.
    ///
    /// When it returns or throws, the watches are removed; this waits for that. Cancelling the task
    /// ends the sequence, and the wait for the first scan.
    /// - Parameters:
    ///   - roots: folders, or single files.
    ///   - options: what is watched, and how changes are coalesced.
    ///   - bound: how many changes may wait for the task.
    ///   - whenFull: the policy when more are waiting.
    ///   - onError: called on a queue of its own; see ``setErrorHandler(_:)``.
    ///   - isolation: the caller's actor, on which `body` runs.
    ///   - body: receives the changes.
    /// - Throws: ``FileTreeError``, as the initializer; what `body` throws; `CancellationError`
    ///   if the task is cancelled before all folders are watched.
    public static func withChanges<Result>(
        of roots: [FilePath], options: FileTreeOptions = FileTreeOptions(), bound: Int = 1024,
        whenFull: FileChangeSequence.FullPolicy = .dropOldest,
        onError: (@Sendable (FileTreeError) -> Void)? = nil,
        isolation: isolated (any Actor)? = #isolation,
        _ body: (FileChangeSequence) async throws -> Result
    ) async throws -> Result {
        let queue = DispatchQueue(label: "file-watching.changes")
        let watcher = try FileTreeWatcher(roots, options: options, queue: queue)
        let (ready, ended) = (Mailbox<Bool>(), Mailbox<Bool>())
        watcher.setReadyHandler { ready.post { $0 = true } }
        watcher.setErrorHandler(onError)
        watcher.setCancelHandler { ended.finish() }
        let changes = watcher.changes(bound: bound, whenFull: whenFull)
        watcher.activate()
        do {
            if await ready.next() == nil { throw CancellationError() }
            let result = try await body(changes)
            watcher.cancel()
            _ = await ended.nextUninterrupted()
            return result
        } catch {
            watcher.cancel()
            _ = await ended.nextUninterrupted()
            throw error
        }
    }
}
