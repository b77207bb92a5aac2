internal import Ring

/// One watcher and all that is watched with it: an entry for each file, whatever the number of
/// sources and descriptors.
final class FileWatches: @unchecked Sendable {
    // Safety: the hub's lock guards `files`, what is in them, and which are touched; `events`,
    // `woken` and `checks` belong to the thread that reads the events.
    let watcher: any FileWatcher
    let events = FileEvents()
    @exclusivity(unchecked) private(set) var files: [Int32: WatchedFile] = [:] {
        didSet { recent = nil }
    }
    /// The file of the last event, one of `files`: the next one is often about it, too.
    @exclusivity(unchecked) private var recent: WatchedFile?
    /// Sources that have something to tell; the hub wakes them.
    @exclusivity(unchecked) var woken = WokenSources()
    /// Files that the events being processed are about, in the order of their first ones.
    @exclusivity(unchecked) private var firstTouched: WatchedFile?
    @exclusivity(unchecked) private var lastTouched: WatchedFile?
    /// Files whose watch the kernel is to be asked about again.
    @exclusivity(unchecked) var checks: [WatchCheck] = []

    init(_ watcher: any FileWatcher) {
        self.watcher = watcher
    }

    var isEmpty: Bool { files.isEmpty }

    func allFiles() -> [WatchedFile] { Array(files.values) }

    func isCurrent(_ file: WatchedFile) -> Bool { files[file.watch] === file }

    // MARK: events

    /// The file of a watch that has not been given up.
    @inline(__always)
    func file(_ watch: Int32) -> WatchedFile? {
        if let recent, recent.watch == watch { return recent }
        recent = files[watch]
        return recent
    }

    /// Notes that the events are about a file, too: once for each file.
    @inline(__always)
    func touch(_ file: WatchedFile) {
        if let lastTouched { lastTouched.nextTouched = file } else { firstTouched = file }
        lastTouched = file
    }

    @inline(__always)
    func takeTouched() -> WatchedFile? {
        guard let file = firstTouched else { return nil }
        firstTouched = file.nextTouched
        file.nextTouched = nil
        if firstTouched == nil { lastTouched = nil }
        return file
    }

    // MARK: sources

    /// - Returns: what will not be told, although the source watches.
    func add(_ source: FileSystemSource) throws(FileSystemWatchError) -> FileSystemWatchError? {
        let descriptor = source.descriptor
        // Before the watch: what happens in between is told twice rather than not.
        guard let status = FileStatus(of: descriptor) else {
            throw FileSystemWatchError(closed: descriptor)
        }
        guard FilePlace.canBeNamed else {
            throw FileSystemWatchError(withoutProc: ErrorCode.noEntry)
        }
        // Only a path that is too long cannot be had.
        let name = Descriptors.name(of: descriptor) ?? "/"
        guard isKept(name, status) else {
            throw FileSystemWatchError(notWatchable: name, descriptor: descriptor)
        }
        let file = try join(source, name, status)
        if file.needsParent && file.parent == nil {
            do throws(KernelError) {
                try followParent(of: file)
            } catch {
                let error = FileSystemWatchError(watching: name + "/..", error)
                // Everything but its removal can be told all the same.
                if error.reason == .accessDenied { return error }
                remove(source)
                throw error
            }
            // Removed before its parent was watched.
            if let now = FileStatus(of: descriptor), now.linkCount == 0, status.linkCount > 0 {
                file.learnAttributes(now)
                _ = source.merge(.delete)
            }
        }
        return nil
    }

    private func join(
        _ source: FileSystemSource, _ name: String, _ status: FileStatus
    ) throws(FileSystemWatchError) -> WatchedFile {
        let changes = source.mask.changes(ofDirectory: status.isDirectory)
        let number: Int32
        do throws(KernelError) {
            number = try watcher.watch(
                .object(descriptor: source.descriptor), for: changes, isAdding: true)
        } catch {
            throw FileSystemWatchError(watching: name, error)
        }
        let file = entry(number, isDirectory: status.isDirectory)
        file.asked.formUnion(changes)
        if source.mask.contains(.rename), file.name == nil { file.name = name }
        file.add(source, status)
        return file
    }

    /// Whether a file system holds the object: the names of others are no paths.
    private func isKept(_ name: String, _ status: FileStatus) -> Bool {
        name.hasPrefix("/") && !(status.linkCount == 0 && name.hasPrefix("/memfd:"))
    }

    func remove(_ source: FileSystemSource) {
        guard let file = source.file else { return }
        file.remove(source)
        tidy(file)
    }

    // MARK: watches

    private func entry(_ number: Int32, isDirectory: Bool) -> WatchedFile {
        if let file = files[number] { return file }
        let file = WatchedFile(watch: number, isDirectory: isDirectory, asked: [])
        files[number] = file
        return file
    }

    /// Asks the kernel for no more than what is needed, and lets go of what nobody needs.
    private func tidy(_ file: WatchedFile) {
        if !file.needsParent { leaveParent(of: file) }
        guard isCurrent(file) else { return }
        if file.isUnused {
            files[file.watch] = nil
            watcher.unwatch(file.watch)
        } else if let source = file.sources.first, file.asked != file.wanted {
            // Where this fails, superfluous events come.
            let wanted = file.wanted
            let place = FilePlace.object(descriptor: source.descriptor)
            if let number = try? watcher.watch(place, for: wanted, isAdding: false),
                number == file.watch
            {
                file.asked = wanted
            }
        }
    }

    /// Watches the directory that holds the name of a directory, where its removal shows.
    func followParent(of file: WatchedFile) throws(KernelError) {
        guard let source = file.sources.first else { return }
        let number = try watcher.watch(
            .parent(ofDirectory: source.descriptor), for: .deleted, isAdding: true)
        let parent = entry(number, isDirectory: true)
        parent.asked.insert(.deleted)
        guard parent !== file.parent else { return }
        leaveParent(of: file)
        // The root directory is its own parent, and cannot be removed.
        guard parent !== file else { return }
        file.parent = parent
        parent.children[ObjectIdentifier(file)] = file
    }

    private func leaveParent(of file: WatchedFile) {
        guard let parent = file.parent else { return }
        file.parent = nil
        parent.children[ObjectIdentifier(file)] = nil
        tidy(parent)
    }

    /// The kernel has ended the watch of a file whose last name went, or may have: nothing changes
    /// where it has not. Sources that hold the file open are told of what else happens to it.
    func watchAgain(_ file: WatchedFile) throws(KernelError) {
        guard let source = file.sources.first, let status = file.attributes else {
            dissolve(file)
            return
        }
        let changes = file.mask.changes(ofDirectory: file.isDirectory)
        let number = try watcher.watch(
            .object(descriptor: source.descriptor), for: changes, isAdding: true)
        guard number != file.watch else { return }
        files[file.watch] = nil
        if let other = files[number] {
            // A source that was made meanwhile has begun to watch it again.
            for source in file.removeSources() { other.add(source, status) }
            other.asked.formUnion(changes)
            dissolve(file)
        } else {
            file.watch = number
            file.asked = changes
            files[number] = file
        }
    }

    /// Nothing more will come of the file; its sources, which are left without it, are returned.
    @discardableResult
    func dissolve(_ file: WatchedFile) -> [FileSystemSource] {
        if isCurrent(file) { files[file.watch] = nil }
        leaveParent(of: file)
        for child in file.children.values { child.parent = nil }
        file.children = [:]
        return file.removeSources()
    }
}
