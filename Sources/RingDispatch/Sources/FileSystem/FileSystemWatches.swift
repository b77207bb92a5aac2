internal import LinuxPlatform

/// An inotify instance and everything that it watches: one node per file, whatever the number of
/// sources and descriptors.
final class FileSystemWatches: @unchecked Sendable {
    // Safety: the reader's lock guards `nodes`, their contents, and the list of touched nodes; the
    // other fields belong to `queue`, and before the first event to the thread that made them.
    let inotify: any Inotify
    /// The queue that reads the events.
    let queue = DispatchQueue(label: "ringdispatch.files")
    @exclusivity(unchecked) var reader: InotifyReader?
    let events = InotifyEventBuffer()
    @exclusivity(unchecked) private(set) var nodes: [Int32: FileSystemNode] = [:] {
        didSet { recent = nil }
    }
    /// The node of the last event, one of `nodes`: the next event is often about the same file.
    @exclusivity(unchecked) private var recent: FileSystemNode?
    /// Sources with new events; the reader wakes them.
    @exclusivity(unchecked) var woken = WokenSources()
    /// Nodes with events to process, in the order of their first event.
    @exclusivity(unchecked) private var firstTouched: FileSystemNode?
    @exclusivity(unchecked) private var lastTouched: FileSystemNode?
    /// Files whose watch may have to be made again.
    @exclusivity(unchecked) var checks: [WatchCheck] = []
    @exclusivity(unchecked) var isCheckScheduled = false

    init(_ inotify: any Inotify) {
        self.inotify = inotify
    }

    var isEmpty: Bool { nodes.isEmpty }

    /// Whether the instance's descriptor is no longer one.
    func isLost(after error: FileSystemWatchError) -> Bool {
        guard [ErrorCode.badDescriptor, ErrorCode.invalid].contains(error.code) else {
            return false
        }
        return Descriptors.name(of: inotify.descriptor)?.contains("inotify") != true
    }

    func allNodes() -> [FileSystemNode] { Array(nodes.values) }

    func isCurrent(_ node: FileSystemNode) -> Bool { nodes[node.watch] === node }

    // MARK: events

    /// The node of a watch, unless it was removed.
    @inline(__always)
    func node(_ watch: Int32) -> FileSystemNode? {
        if let recent, recent.watch == watch { return recent }
        recent = nodes[watch]
        return recent
    }

    /// Adds a node to the list, once.
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

    /// - Returns: an error that limits the reported events, although the source watches.
    func add(_ source: FileSystemSource) throws(FileSystemWatchError) -> FileSystemWatchError? {
        let descriptor = source.descriptor
        // Before the watch: a change in between is reported twice rather than not at all.
        guard let status = FileStatus(of: descriptor) else {
            throw FileSystemWatchError(closed: descriptor)
        }
        guard FilePlace.canBeNamed else {
            throw FileSystemWatchError(withoutProc: ErrorCode.noEntry)
        }
        // readlink fails only for a path that is too long.
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
                // All events except the removal can be reported.
                if error.reason == .accessDenied { return error }
                remove(source)
                throw error
            }
            // The directory was removed before its parent was watched.
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

    /// Whether the object is in a file system: the names of other objects are not paths.
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

    /// Reduces the kernel's mask to the needed events, and removes a watch that nothing needs.
    private func tidy(_ node: FileSystemNode) {
        if !node.needsParent { leaveParent(of: node) }
        guard isCurrent(node) else { return }
        if node.isUnused {
            nodes[node.watch] = nil
            inotify.unwatch(node.watch)
        } else if let source = node.sources.first, node.asked != node.wanted {
            // After a failure, superfluous events arrive.
            let wanted = node.wanted
            let place = FilePlace.object(descriptor: source.descriptor)
            if let number = try? inotify.watch(place, for: wanted, isAdding: false),
                number == node.watch
            {
                node.asked = wanted
            }
        }
    }

    /// Watches the parent directory of a directory, which shows the directory's removal.
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

    /// Restores the watch of a file, which the kernel may have ended after the last name went. If
    /// it has not, nothing changes. Sources that hold the file open receive its further events.
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
            // A source that was added meanwhile watches the file again.
            for source in node.removeSources() { other.add(source, status) }
            other.asked.formUnion(mask)
            dissolve(node)
        } else {
            node.watch = number
            node.asked = mask
            nodes[number] = node
        }
    }

    /// Removes a file that reports no more events. Returns its former sources.
    @discardableResult
    func dissolve(_ node: FileSystemNode) -> [FileSystemSource] {
        if isCurrent(node) { nodes[node.watch] = nil }
        leaveParent(of: node)
        for child in node.children.values { child.parent = nil }
        node.children = [:]
        return node.removeSources()
    }
}
