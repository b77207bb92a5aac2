internal import LinuxPlatform

/// Watches files for all file-system sources of the process, with one inotify instance and one
/// thread that reads it. The instance is created for the first source and closed after the last.
///
/// The lock guards the watches. It is also held during the calls on a source's descriptor, so that
/// a source may close it once it has unregistered. None of these calls waits for a disk or a
/// server.
final class FileSystemReader: Sendable {
    static let shared = FileSystemReader { () throws(SystemError) in
        try InotifyDescriptor(readsWait: true)
    }

    private let makeInotify: @Sendable () throws(SystemError) -> any Inotify
    private let state = Locked(State())
    /// Held while an instance is given up and closed, which takes a while. It delays the next
    /// close, so a program that quickly makes and cancels sources has at most two instances.
    private let closing = Locked(())

    private struct State: @unchecked Sendable {
        // Safety: used inside the lock.
        var watches: FileSystemWatches?
        /// Reasons that were logged already; each is logged once.
        var logged: [FileSystemWatchError.Reason] = []
    }

    /// - Parameter makeInotify: creates an instance whose descriptor blocks in read(2).
    init(makeInotify: @escaping @Sendable () throws(SystemError) -> any Inotify) {
        self.makeInotify = makeInotify
    }

    /// Starts to watch for a source. Returns true if the source has events pending at once.
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

    /// Stops watching for a source, which may close its descriptor afterwards.
    func unregister(_ source: FileSystemSource) {
        // The end of the last watch is an event, which wakes the thread.
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

    /// Reads events while there are watches.
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

    /// The program has closed the instance's descriptor, whose number may belong to another file by
    /// now.
    private func abandon(_ watches: FileSystemWatches) {
        state.withLock { $0.watches = nil }
        Diagnostics.log(
            "file-system sources made so far tell nothing any more: the program has closed "
                + "descriptor \(watches.inotify.descriptor), which was not its own")
    }

    /// Called outside the lock, which a woken source may need.
    /// - Returns: the only woken source, if the thread is to run its handler.
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

    /// After events were lost: checks every file, a few at a time.
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
