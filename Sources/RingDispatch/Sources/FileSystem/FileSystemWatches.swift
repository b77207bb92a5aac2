internal import LinuxPlatform

/// Watches files for all file-system sources of the process: one node per file, whatever the number
/// of sources and descriptors. The inotify instance is created for the first source and closed
/// after the last.
///
/// The lock is also held during the calls on a source's descriptor, so that a source may close it
/// once it has unregistered. On a network file system such a call may wait for the server; then
/// all sources wait.
final class FileSystemWatches: @unchecked Sendable {
    // Safety: the lock guards everything but `woken` and `refusals`, which belong to the queue, and
    // constants.
    static let shared = FileSystemWatches { () throws(SystemError) in
        try InotifyDescriptor()
    }

    private let makeInotify: @Sendable () throws(SystemError) -> any Inotify
    /// The queue that reads the events. An instance is closed on it, which takes a while: a program
    /// that quickly makes and cancels sources has at most two instances.
    private let queue = DispatchQueue(label: "ringdispatch.files")
    private let lock = Locked(())
    private(set) var reader: InotifyReader?
    var nodes: [Int32: FileSystemNode] = [:]
    /// Sources with new events, which are woken outside of the lock.
    var woken: [FileSystemSource] = []
    /// Why watches could not be made again, logged outside of the lock.
    var refusals: [FileSystemWatchError] = []
    /// Reasons that were logged already; each is logged once.
    private var logged: [FileSystemWatchError.Reason] = []

    /// - Parameter makeInotify: creates an instance whose descriptor does not block in read(2).
    init(makeInotify: @escaping @Sendable () throws(SystemError) -> any Inotify) {
        self.makeInotify = makeInotify
    }

    // MARK: sources

    /// Starts to watch for a source. Returns true if the source has events pending at once.
    func register(_ source: FileSystemSource) -> Bool {
        let error = lock.withLock { _ -> FileSystemWatchError? in
            do throws(FileSystemWatchError) {
                return try begin(source)
            } catch {
                _ = source.fail(error)
                return error
            }
        }
        if let error { log(error) }
        return source.hasPendingEvents
    }

    /// Makes an instance if there is none, and watches.
    /// - Returns: an error that limits the reported events, although the source watches.
    private func begin(
        _ source: FileSystemSource
    ) throws(FileSystemWatchError) -> FileSystemWatchError? {
        if let reader {
            do throws(FileSystemWatchError) {
                return try add(source)
            } catch {
                guard isLost(reader.inotify, after: error) else { throw error }
                abandon(reader)
            }
        }
        do throws(SystemError) {
            let new = InotifyReader(try makeInotify(), queue: queue) { [self] reader, _ in
                take(reader)
            }
            try new.start()
            reader = new
        } catch {
            throw FileSystemWatchError(instance: error)
        }
        // Closes the instance unless a source watches by then.
        defer { if nodes.isEmpty { queue.async { [self] in finish(hasOverflowed: false) } } }
        return try add(source)
    }

    /// Stops watching for a source, which may close its descriptor afterwards. The end of the last
    /// watch is an event.
    func unregister(_ source: FileSystemSource) {
        lock.withLock { _ in remove(source) }
    }

    /// Whether the instance's descriptor is no longer one.
    private func isLost(_ inotify: any Inotify, after error: FileSystemWatchError) -> Bool {
        guard [ErrorCode.badDescriptor, ErrorCode.invalid].contains(error.code.rawValue) else {
            return false
        }
        return Descriptors.name(of: inotify.descriptor)?.contains("inotify") != true
    }

    /// The program has closed the instance's descriptor, whose number may belong to another file by
    /// now.
    private func abandon(_ lost: InotifyReader) {
        reader = nil
        for node in nodes.values { _ = dissolve(node) }
        queue.async { lost.end() }
        Diagnostics.log(
            "file-system sources made so far tell nothing any more: the program has closed "
                + "descriptor \(lost.inotify.descriptor), which was not its own")
    }

    // MARK: events

    /// Called on the queue.
    private func take(_ reader: InotifyReader) {
        let hasOverflowed = lock.withLock { _ in
            reader === self.reader && takeEvents(reader.buffer)
        }
        finish(hasOverflowed: hasOverflowed)
    }

    private func finish(hasOverflowed: Bool) {
        wakeSources()
        if hasOverflowed { examineAll() }
        for error in exchange(&refusals, with: []) { log(error) }
        let unused = lock.withLock { _ in nodes.isEmpty ? reader.take() : nil }
        unused?.close()
    }

    private func wakeSources() {
        let context = Context.current
        for source in woken { source.wake(context) }
        woken.removeAll(keepingCapacity: true)
    }

    /// Checks a file whose watch the kernel may have dropped, at growing intervals.
    ///
    /// When the last name of an open file is removed, the kernel ends the file's watches one by
    /// one, and sends an event for each before it has finished. A watch made in between may end up
    /// in a part of the list that the kernel has already processed (Linux 6.18,
    /// `fsnotify_destroy_marks`): it is dropped with the others, without an event. Nothing shows
    /// when the kernel has finished, usually microseconds later.
    func check(_ node: FileSystemNode, afterMilliseconds wait: Int = 1) {
        queue.asyncAfter(deadline: .now() + .milliseconds(wait)) { [self] in
            lock.withLock { _ in restoreWatch(of: node) }
            finish(hasOverflowed: false)
            if wait < 100 { check(node, afterMilliseconds: wait * 10) }
        }
    }

    private static let nodesAtATime = 64

    /// After events were lost: checks every file, a few at a time.
    private func examineAll() {
        var rest = lock.withLock { _ in Array(nodes.values) }[...]
        while !rest.isEmpty {
            let some = rest.prefix(FileSystemWatches.nodesAtATime)
            rest = rest.dropFirst(some.count)
            lock.withLock { _ in examine(some, isThorough: true) }
            wakeSources()
        }
    }

    private func log(_ error: FileSystemWatchError) {
        let isNew = lock.withLock { _ in
            guard !logged.contains(error.reason) else { return false }
            logged.append(error.reason)
            return true
        }
        if isNew { Diagnostics.log("a file-system source cannot tell all: \(error)") }
    }
}
