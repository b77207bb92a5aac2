internal import LinuxPlatform

/// Watches files for all file-system sources of the process with one inotify instance, which is
/// made for the first source and closed after the last, and one thread that reads it.
///
/// Its lock guards the watches and is held over the calls that look at a source's descriptor, so
/// that a source that has left may close it. Those calls do not wait for disks or servers.
final class FileSystemReader: Sendable {
    static let shared = FileSystemReader { () throws(SystemError) in
        try InotifyDescriptor(readsWait: true)
    }

    private let makeInotify: @Sendable () throws(SystemError) -> any Inotify
    private let state = Locked(State())
    /// Held while an instance is given up and closed, which takes a while. The next is not given up
    /// before, so that a program which makes and cancels sources quickly has two at most.
    private let closing = Locked(())

    private struct State: @unchecked Sendable {
        // Safety: used inside the lock.
        var watches: FileSystemWatches?
        /// What was logged; each once.
        var logged: [FileSystemWatchError.Reason] = []
    }

    /// - Parameter makeWatcher: makes a watcher whose descriptor's reads wait for events.
    init(makeInotify: @escaping @Sendable () throws(SystemError) -> any Inotify) {
        self.makeInotify = makeInotify
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
        guard let error else { return source.hasPendingEvents }
        log(error)
        return isFatal ? source.fail(error) : source.hasPendingEvents
    }

    private func register(
        _ source: FileSystemSource, _ state: inout State
    ) throws(FileSystemWatchError) -> FileSystemWatchError? {
        if let watches = state.watches { return try watches.add(source) }
        let watches: FileSystemWatches
        do throws(SystemError) {
            watches = FileSystemWatches(try makeInotify())
        } catch {
            throw FileSystemWatchError(instance: error)
        }
        do throws(FileSystemWatchError) {
            let error = try watches.add(source)
            try read(watches, for: source)
            state.watches = watches
            return error
        } catch {
            watches.inotify.close()
            throw error
        }
    }

    /// Stops watching for a source. Its descriptor may be closed afterwards.
    func unregister(_ source: FileSystemSource) {
        // The end of the last watch is an event that wakes the thread.
        state.withLock { $0.watches?.remove(source) }
    }

    // MARK: the thread

    private func read(
        _ watches: FileSystemWatches, for source: FileSystemSource
    ) throws(FileSystemWatchError) {
        let descriptor = watches.inotify.descriptor
        let thread = InotifyThread(name: "ring-files") {
            Descriptors.poll(descriptor, events: PollEvents.readable) != 0
        } work: { [self] thread in
            takeEvents(watches, on: thread)
        }
        do throws(SystemError) {
            try thread.start()
        } catch {
            watches.remove(source)
            throw FileSystemWatchError(thread: error)
        }
    }

    /// Reads events as long as there are watches.
    private func takeEvents(
        _ watches: FileSystemWatches, on thread: InotifyThread
    ) -> InotifyThread.End {
        let context = Context.current
        while !giveUpIfUnused(watches) {
            let descriptor = watches.inotify.descriptor
            var isCheckDue = false
            if let deadline = watches.nextCheck {
                isCheckDue =
                    Descriptors.poll(
                        descriptor, events: PollEvents.readable, until: deadline) == 0
            }
            guard isCheckDue || watches.events.read(from: descriptor) else {
                abandon(watches)
                return .over
            }
            let outcome = state.withLock { _ in
                isCheckDue ? watches.checkWatches() : watches.takeEvents()
            }
            let alone = wakeSources(of: watches, on: thread, context)
            if outcome.hasOverflowed { examineAll(watches, context) }
            for error in outcome.errors { log(error) }
            if let alone, !alone.runAtOnce(on: thread, context) { return .replaced }
        }
        return .over
    }

    /// The program has closed the instance's descriptor, which may be another one's by now.
    private func abandon(_ watches: FileSystemWatches) {
        state.withLock { $0.watches = nil }
        Diagnostics.log(
            "file-system sources made so far tell nothing any more: the program has closed "
                + "descriptor \(watches.inotify.descriptor), which was not its own")
    }

    /// Outside the lock, which a woken source may want.
    /// - Returns: the only one, if it is for the thread to run.
    private func wakeSources(
        of watches: FileSystemWatches, on thread: InotifyThread, _ context: Context
    ) -> FileSystemSource? {
        if let only = watches.woken.only, thread.mayRunHandlers, only.mayRunAtOnce() {
            watches.woken.removeOnly()
            return only
        }
        watches.woken.wakeAll(context)
        return nil
    }

    private func giveUpIfUnused(_ watches: FileSystemWatches) -> Bool {
        guard state.withLock({ _ in watches.isEmpty }) else { return false }
        return closing.withLock { _ in
            let isUnused = state.withLock { state in
                if watches.isEmpty { state.watches = nil }
                return watches.isEmpty
            }
            if isUnused { watches.inotify.close() }
            return isUnused
        }
    }

    /// Events were lost: looks at every file, a few at a time.
    private func examineAll(_ watches: FileSystemWatches, _ context: Context) {
        var rest = state.withLock { _ in watches.allNodes() }[...]
        while !rest.isEmpty {
            let some = rest.prefix(FileSystemReader.nodesAtATime)
            rest = rest.dropFirst(some.count)
            state.withLock { _ in watches.examine(some, isThorough: true) }
            watches.woken.wakeAll(context)
        }
    }

    private static let nodesAtATime = 64

    private func log(_ error: FileSystemWatchError) {
        let isNew = state.withLock { state in
            guard !state.logged.contains(error.reason) else { return false }
            state.logged.append(error.reason)
            return true
        }
        if isNew { Diagnostics.log("a file-system source cannot tell all: \(error)") }
    }
}
