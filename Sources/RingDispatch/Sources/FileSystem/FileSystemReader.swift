internal import LinuxPlatform

/// Watches files for all file-system sources of the process, with one inotify instance, which is
/// created for the first source and closed after the last.
///
/// The lock guards the watches. It is also held during the calls on a source's descriptor, so that
/// a source may close it once it has unregistered. None of these calls waits for a disk or a
/// server.
final class FileSystemReader: Sendable {
    static let shared = FileSystemReader { () throws(SystemError) in
        try InotifyDescriptor()
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

    /// - Parameter makeInotify: creates an instance whose descriptor does not block in read(2).
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
        if let watches = state.watches {
            do throws(FileSystemWatchError) {
                return try watches.add(source)
            } catch {
                guard watches.isLost(after: error) else { throw error }
                abandon(watches, &state)
            }
        }
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
        // The end of the last watch is an event.
        state.withLock { $0.watches?.remove(source) }
    }

    // MARK: events

    /// Reads of the kernel's queue before the reader yields the thread.
    private static let readsInARow = 16

    private func read(
        _ watches: FileSystemWatches, for source: FileSystemSource
    ) throws(FileSystemWatchError) {
        let reader = InotifyReader(watches.inotify, queue: watches.queue) { [self] in
            takeEvents(watches)
        }
        watches.reader = reader
        let code = reader.begin()
        if code == 0 { return }
        watches.remove(source)
        throw FileSystemWatchError(reading: SystemError(call: "epoll_ctl", code: code))
    }

    /// Called on the queue of the watches. Returns whether more events may be waiting.
    private func takeEvents(_ watches: FileSystemWatches) -> Bool {
        let context = Context.current
        for _ in 0..<FileSystemReader.readsInARow {
            guard watches.events.read(from: watches.inotify.descriptor) else { return false }
            let tookAll = watches.events.tookAll
            handle(state.withLock { _ in watches.takeEvents() }, of: watches, context)
            if giveUpIfUnused(watches) || tookAll { return false }
        }
        return true
    }

    private func handle(
        _ outcome: FileSystemWatches.Outcome, of watches: FileSystemWatches, _ context: Context
    ) {
        // Outside the lock, which a woken source may need.
        watches.woken.wakeAll(context)
        if outcome.hasOverflowed { examineAll(watches, context) }
        for error in outcome.errors { log(error) }
        scheduleCheck(of: watches)
    }

    private func scheduleCheck(of watches: FileSystemWatches) {
        guard !watches.isCheckScheduled, let deadline = watches.nextCheck else { return }
        watches.isCheckScheduled = true
        watches.queue.asyncAfter(deadline: DispatchTime(uptimeNanoseconds: deadline)) { [self] in
            watches.isCheckScheduled = false
            handle(state.withLock { _ in watches.checkWatches() }, of: watches, Context.current)
            _ = giveUpIfUnused(watches)
        }
    }

    /// The program has closed the instance's descriptor, whose number may belong to another file by
    /// now.
    private func abandon(_ watches: FileSystemWatches, _ state: inout State) {
        state.watches = nil
        watches.queue.async {
            watches.reader?.end()
            watches.reader = nil
        }
        Diagnostics.log(
            "file-system sources made so far tell nothing any more: the program has closed "
                + "descriptor \(watches.inotify.descriptor), which was not its own")
    }

    private func giveUpIfUnused(_ watches: FileSystemWatches) -> Bool {
        guard watches.reader != nil, state.withLock({ _ in watches.isEmpty }) else { return false }
        return closing.withLock { _ in
            let isUnused = state.withLock { state in
                if watches.isEmpty { state.watches = nil }
                return watches.isEmpty
            }
            if isUnused {
                watches.reader?.end()
                watches.reader = nil
                watches.inotify.close()
            }
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
