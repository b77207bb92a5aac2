internal import LinuxPlatform

/// One watcher and all that is watched with it: an entry for each file, whatever the number of
/// sources and descriptors.
final class FileSystemWatches: @unchecked Sendable {
    // Safety: the reader's lock guards `files`, what is in them, and which are touched; `events`,
    // `woken` and `checks` belong to the thread that reads the events.
    let inotify: any Inotify
    let events = InotifyEventBuffer()
    @exclusivity(unchecked) private(set) var nodes: [Int32: FileSystemNode] = [:] {
        didSet { recent = nil }
    }
    /// The file of the last event, one of `files`: the next one is often about it, too.
    @exclusivity(unchecked) private var recent: FileSystemNode?
    /// Sources that have something to tell; the reader wakes them.
    @exclusivity(unchecked) var woken = WokenSources()
    /// Files that the events being processed are about, in the order of their first ones.
    @exclusivity(unchecked) private var firstTouched: FileSystemNode?
    @exclusivity(unchecked) private var lastTouched: FileSystemNode?
    /// Files whose watch the kernel is to be asked about again.
    @exclusivity(unchecked) var checks: [WatchCheck] = []

    init(_ inotify: any Inotify) {
        self.inotify = inotify
    }

    var isEmpty: Bool { nodes.isEmpty }

    func allNodes() -> [FileSystemNode] { Array(nodes.values) }

    func isCurrent(_ node: FileSystemNode) -> Bool { nodes[node.watch] === node }

    // MARK: events

    /// The file of a watch that has not been given up.
    @inline(__always)
    func node(_ watch: Int32) -> FileSystemNode? {
        if let recent, recent.watch == watch { return recent }
        recent = nodes[watch]
        return recent
    }

    /// Notes that the events are about a file, too: once for each file.
    @inline(__always)
    func touch(_ node: FileSystemNode) {
        if let lastTouched { lastTouched.nextTouched = node } else { firstTouched = node }
        lastTouched = node
    }

    @inline(__always)
    func takeTouched() -> FileSystemNode? {
        guard let node = firstTouched else { return nil }
        firstTouched = node.nextTouched
        node.nextTouched = nil
        if firstTouched == nil { lastTouched = nil }
        return node
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
        let node = try join(source, name, status)
        if node.needsParent && node.parent == nil {
            do throws(SystemError) {
                try followParent(of: node)
            } catch {
                let error = FileSystemWatchError(watching: name + "/..", error)
                // Everything but its removal can be told all the same.
                if error.reason == .accessDenied { return error }
                remove(source)
                throw error
            }
            // Removed before its parent was watched.
            if let now = FileStatus(of: descriptor), now.linkCount == 0, status.linkCount > 0 {
                node.learnAttributes(now)
                _ = source.merge(.delete)
            }
        }
        return nil
    }

    private func join(
        _ source: FileSystemSource, _ name: String, _ status: FileStatus
    ) throws(FileSystemWatchError) -> FileSystemNode {
        let mask = source.mask.inotifyMask(ofDirectory: status.isDirectory)
        let number: Int32
        do throws(SystemError) {
            number = try inotify.watch(
                .object(descriptor: source.descriptor), for: mask, isAdding: true)
        } catch {
            throw FileSystemWatchError(watching: name, error)
        }
        let node = entry(number, isDirectory: status.isDirectory)
        node.asked.formUnion(mask)
        if source.mask.contains(.rename), node.name == nil { node.name = name }
        node.add(source, status)
        return node
    }

    /// Whether a file system holds the object: the names of others are no paths.
    private func isKept(_ name: String, _ status: FileStatus) -> Bool {
        name.hasPrefix("/") && !(status.linkCount == 0 && name.hasPrefix("/memfd:"))
    }

    func remove(_ source: FileSystemSource) {
        guard let node = source.node else { return }
        node.remove(source)
        tidy(node)
    }

    // MARK: watches

    private func entry(_ number: Int32, isDirectory: Bool) -> FileSystemNode {
        if let node = nodes[number] { return node }
        let node = FileSystemNode(watch: number, isDirectory: isDirectory, asked: [])
        nodes[number] = node
        return node
    }

    /// Asks the kernel for no more than what is needed, and lets go of what nobody needs.
    private func tidy(_ node: FileSystemNode) {
        if !node.needsParent { leaveParent(of: node) }
        guard isCurrent(node) else { return }
        if node.isUnused {
            nodes[node.watch] = nil
            inotify.unwatch(node.watch)
        } else if let source = node.sources.first, node.asked != node.wanted {
            // Where this fails, superfluous events come.
            let wanted = node.wanted
            let place = FilePlace.object(descriptor: source.descriptor)
            if let number = try? inotify.watch(place, for: wanted, isAdding: false),
                number == node.watch
            {
                node.asked = wanted
            }
        }
    }

    /// Watches the directory that holds the name of a directory, where its removal shows.
    func followParent(of node: FileSystemNode) throws(SystemError) {
        guard let source = node.sources.first else { return }
        let number = try inotify.watch(
            .parent(ofDirectory: source.descriptor), for: .deleted, isAdding: true)
        let parent = entry(number, isDirectory: true)
        parent.asked.insert(.deleted)
        guard parent !== node.parent else { return }
        leaveParent(of: node)
        // The root directory is its own parent, and cannot be removed.
        guard parent !== node else { return }
        node.parent = parent
        parent.children[ObjectIdentifier(node)] = node
    }

    private func leaveParent(of node: FileSystemNode) {
        guard let parent = node.parent else { return }
        node.parent = nil
        parent.children[ObjectIdentifier(node)] = nil
        tidy(parent)
    }

    /// The kernel has ended the watch of a file whose last name went, or may have: nothing changes
    /// where it has not. Sources that hold the file open are told of what else happens to it.
    func watchAgain(_ node: FileSystemNode) throws(SystemError) {
        guard let source = node.sources.first, let status = node.attributes else {
            dissolve(node)
            return
        }
        let mask = node.mask.inotifyMask(ofDirectory: node.isDirectory)
        let number = try inotify.watch(
            .object(descriptor: source.descriptor), for: mask, isAdding: true)
        guard number != node.watch else { return }
        nodes[node.watch] = nil
        if let other = nodes[number] {
            // A source that was made meanwhile has begun to watch it again.
            for source in node.removeSources() { other.add(source, status) }
            other.asked.formUnion(mask)
            dissolve(node)
        } else {
            node.watch = number
            node.asked = mask
            nodes[number] = node
        }
    }

    /// Nothing more will come of the file; its sources, which are left without it, are returned.
    @discardableResult
    func dissolve(_ node: FileSystemNode) -> [FileSystemSource] {
        if isCurrent(node) { nodes[node.watch] = nil }
        leaveParent(of: node)
        for child in node.children.values { child.parent = nil }
        node.children = [:]
        return node.removeSources()
    }
}
