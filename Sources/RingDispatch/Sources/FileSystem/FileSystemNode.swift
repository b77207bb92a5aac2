internal import LinuxPlatform

/// A watched file or directory, with its sources and its last known status.
final class FileSystemNode: @unchecked Sendable {
    // Safety: the lock of `FileSystemWatches` guards it.
    typealias Event = DispatchSource.FileSystemEvent

    /// The kernel's number for the watch.
    var watch: Int32
    let isDirectory: Bool
    /// The mask that was requested from the kernel.
    var asked: InotifyMask = []
    /// Each source has a descriptor of the file.
    private(set) var sources: [FileSystemSource] = []
    /// The union of the sources' masks.
    var mask: Event { sources.reduce(into: []) { $0.formUnion($1.mask) } }

    /// The status that was last reported to the sources, separately for the content and for the
    /// attributes. A check for one kind of event may also show changes of the other kind, which are
    /// left to that kind's own events; those may follow or be lost.
    private(set) var content: FileStatus?
    private(set) var attributes: FileStatus?
    /// Writes were reported since the last check of the content, or of the attributes.
    private(set) var isContentBehind = false
    private(set) var wasWritten = false
    /// The file's name, for sources that report renames.
    var name: String?

    /// The directory that holds this directory's name. Only there does inotify show the removal of
    /// a directory that is open.
    var parent: FileSystemNode?
    /// The directories whose removal shows here.
    var children: [ObjectIdentifier: FileSystemNode] = [:]

    /// The summary of the events that are being processed.
    var summary = InotifyEventSummary()
    var moves = DirectoryMoves()

    init(watch: Int32, isDirectory: Bool) {
        self.watch = watch
        self.isDirectory = isDirectory
    }

    var isUnused: Bool { sources.isEmpty && children.isEmpty }
    var needsParent: Bool { isDirectory && mask.contains(.delete) }

    /// The mask to request from the kernel, for all that rely on this watch.
    var wanted: InotifyMask {
        var wanted: InotifyMask = sources.isEmpty ? [] : mask.inotifyMask(ofDirectory: isDirectory)
        if !children.isEmpty { wanted.insert(.deleted) }
        return wanted
    }

    /// - Parameter now: the file's present status.
    func add(_ source: FileSystemSource, _ now: FileStatus) {
        // Pending events must be compared with the status that was reported to the other sources,
        // as far as these follow it.
        let ofAttributes: Event = isDirectory ? [.delete, .attrib] : [.delete, .attrib, .link]
        let ofContent: Event = isDirectory ? .link : .extend
        if mask.isDisjoint(with: ofAttributes) { learnAttributes(now) }
        if mask.isDisjoint(with: ofContent) || isContentBehind { learnContent(now) }
        source.node = self
        sources.append(source)
    }

    func remove(_ source: FileSystemSource) {
        source.node = nil
        guard let index = sources.firstIndex(where: { $0 === source }) else { return }
        sources.remove(at: index)
        if !mask.contains(.rename) { name = nil }
    }

    func removeSources() -> [FileSystemSource] {
        for source in sources { source.node = nil }
        return exchange(&sources, with: [])
    }

    /// The file's present status.
    func currentStatus() -> FileStatus? {
        sources.first.flatMap { FileStatus(of: $0.descriptor) }
    }

    func noteWrite() {
        isContentBehind = true
        wasWritten = true
    }

    func learnContent(_ now: FileStatus) {
        content = now
        isContentBehind = false
    }

    func learnAttributes(_ now: FileStatus) {
        attributes = now
        wasWritten = false
    }

    /// The file's present name, or its last one if it was removed.
    func currentName() -> String? {
        guard let source = sources.first,
            let name = Descriptors.name(of: source.descriptor)
        else { return nil }
        let mark = " (deleted)"
        return name.hasSuffix(mark) ? String(name.dropLast(mark.count)) : name
    }
}
