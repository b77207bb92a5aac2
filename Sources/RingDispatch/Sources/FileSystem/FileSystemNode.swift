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
    var content: KnownStatus?
    var attributes: KnownStatus?
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
        if mask.isDisjoint(with: ofAttributes) { attributes = KnownStatus(status: now) }
        if mask.isDisjoint(with: ofContent) || content?.isBehind == true {
            content = KnownStatus(status: now)
        }
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
        content?.isBehind = true
        attributes?.isBehind = true
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

/// A file's status when it was last checked.
struct KnownStatus {
    let status: FileStatus
    /// Writes were reported since.
    var isBehind = false
}

/// The events of one file in one batch. inotify merges equal consecutive events, so their number
/// matters little.
struct InotifyEventSummary {
    /// All events of the file itself and, those of `InotifyMask.entries`, of its entries.
    private(set) var mask: InotifyMask = []
    private(set) var attributeEventCount = 0
    /// The events of entries that are directories.
    private(set) var ofDirectories: InotifyMask = []

    var isEmpty: Bool { mask.isEmpty }
    /// The file must be compared with its last known status.
    var hasAttributes: Bool { !mask.isDisjoint(with: .ofLinks) }

    mutating func note(_ event: InotifyEvent) {
        guard event.isOfEntry else {
            mask.formUnion(event.mask)
            if event.mask.contains(.attributes) { attributeEventCount += 1 }
            return
        }
        let ofEntry = event.mask.intersection(.entries)
        mask.formUnion(ofEntry)
        if event.mask.contains(.isDirectory) { ofDirectories.formUnion(ofEntry) }
    }
}

/// Moves of directories of which only one end was seen. The other end of a rename may follow in the
/// next batch of events; a move from or to an unwatched directory has no other end.
struct DirectoryMoves {
    /// The cookies of directories that were moved away.
    private var departed: [UInt32] = []
    private var hasArrival = false

    mutating func note(_ event: InotifyEvent) {
        if event.mask.contains(.movedFrom) {
            departed.append(event.cookie)
        } else if event.mask.contains(.movedTo) {
            if let index = departed.firstIndex(of: event.cookie) {
                departed.remove(at: index)
            } else {
                hasArrival = true
            }
        }
    }

    /// Whether the moves so far changed the set of subdirectories, given that their number is the
    /// same. A departure without an arrival is a rename whose other end will follow.
    /// - Parameter isCounted: the file system counts subdirectories. Otherwise each single end is a
    ///   change.
    func isChange(isCounted: Bool) -> Bool {
        isCounted ? !departed.isEmpty && hasArrival : !departed.isEmpty || hasArrival
    }
}
