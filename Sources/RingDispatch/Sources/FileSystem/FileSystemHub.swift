internal import Ring

/// Watches files for all file-system sources of the process with one inotify instance, which is
/// made for the first source and closed after the last.
///
/// Its lock guards the watches and is held over the calls that look at a source's descriptor, so
/// that a source that has left may close it. Those calls do not wait for disks or servers.
final class FileSystemHub: Sendable {
    static let shared = FileSystemHub { () throws(KernelError) in try Inotify() }

    /// Where events are read. Nothing waits on it.
    let queue = DispatchQueue(label: "ringdispatch.inotify")
    private let makeWatcher: @Sendable () throws(KernelError) -> any FileWatcher
    private let state = Locked(State())

    private struct State: @unchecked Sendable {
        // Safety: used inside the lock.
        var watches: FileWatches?
        /// An instance is being closed. The next is not given up before, so that a program which
        /// makes and cancels sources quickly has two at most.
        var isClosing = false
        /// What was logged; each once.
        var logged: [FileSystemWatchError.Reason] = []
    }

    init(makeWatcher: @escaping @Sendable () throws(KernelError) -> any FileWatcher) {
        self.makeWatcher = makeWatcher
    }

    /// Begins to watch for a source; true when it has something to tell at once.
    func register(_ source: FileSystemSource) -> Bool {
        let (error, isFatal) = state.withLock { state -> (FileSystemWatchError?, Bool) in
            do throws(FileSystemWatchError) {
                return (try register(source, &state), false)
            } catch {
                return (error, true)
            }
        }
        guard let error else { return source.hasNews }
        log(error)
        guard isFatal else { return source.hasNews }
        closeIfUnused()
        return source.fail(error)
    }

    private func register(
        _ source: FileSystemSource, _ state: inout State
    ) throws(FileSystemWatchError) -> FileSystemWatchError? {
        let watches: FileWatches
        if let existing = state.watches {
            watches = existing
        } else {
            do throws(KernelError) {
                watches = FileWatches(try makeWatcher())
            } catch {
                throw FileSystemWatchError(instance: error)
            }
            state.watches = watches
            listen(watches)
        }
        return try watches.add(source)
    }

    /// Stops watching for a source. Its descriptor may be closed afterwards.
    func unregister(_ source: FileSystemSource) {
        let isUnused = state.withLock { state -> Bool in
            guard let watches = state.watches else { return false }
            watches.remove(source)
            return watches.isEmpty
        }
        if isUnused { closeIfUnused() }
    }

    // MARK: events

    private func listen(_ watches: FileWatches) {
        let source = DispatchSource.makeReadSource(
            fileDescriptor: watches.watcher.descriptor, queue: queue)
        source.setEventHandler { [self] in takeEvents(watches) }
        source.setCancelHandler { [self] in
            watches.watcher.close()
            state.withLock { $0.isClosing = false }
            closeIfUnused()
        }
        watches.source = source
        source.activate()
    }

    /// On the queue.
    private func takeEvents(_ watches: FileWatches) {
        guard watches.events.read(from: watches.watcher.descriptor) else { return }
        let outcome = state.withLock { _ in watches.takeEvents() }
        wakeSources(of: watches)
        if outcome.hasOverflowed { examineAll(watches) }
        for error in outcome.errors { log(error) }
        if outcome.isEmpty { closeIfUnused() }
    }

    /// Events were lost: looks at every file, a few at a time.
    private func examineAll(_ watches: FileWatches) {
        var rest = state.withLock { _ in watches.allFiles() }[...]
        while !rest.isEmpty {
            let some = rest.prefix(FileSystemHub.filesAtATime)
            rest = rest.dropFirst(some.count)
            state.withLock { _ in watches.examine(some, isThorough: true) }
            wakeSources(of: watches)
        }
    }

    private static let filesAtATime = 64

    /// On the queue. Outside the lock, which a woken source may want.
    private func wakeSources(of watches: FileWatches) {
        let context = Context.current
        for source in watches.woken { source.wake(context) }
        watches.woken.removeAll(keepingCapacity: true)
    }

    // MARK: the end

    private func closeIfUnused() {
        queue.async { [self] in
            let unused = state.withLock { state -> FileWatches? in
                guard !state.isClosing, let watches = state.watches, watches.isEmpty else {
                    return nil
                }
                state.watches = nil
                state.isClosing = true
                return watches
            }
            unused?.stop()
        }
    }

    private func log(_ error: FileSystemWatchError) {
        let isNew = state.withLock { state in
            guard !state.logged.contains(error.reason) else { return false }
            state.logged.append(error.reason)
            return true
        }
        if isNew { Diagnostics.log("a file-system source cannot tell all: \(error)") }
    }
}
