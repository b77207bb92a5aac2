internal import Ring

/// A file, or directory, that has a watch: its sources, and what is known of it. Belongs to the
/// hub's lock.
final class WatchedFile {
    typealias Event = DispatchSource.FileSystemEvent

    /// The kernel's number for the watch.
    var watch: Int32
    let isDirectory: Bool
    /// What the kernel was asked for.
    var asked: FileChanges
    /// Each has a descriptor of the file.
    private(set) var sources: [FileSystemSource] = []
    /// What the sources ask for.
    private(set) var mask: Event = []

    /// The file as it was when it was looked at last; nil while it has no source.
    var status: FileStatus?
    /// It was written since, and nobody looked.
    var isStatusBehind = false
    /// Its name, for sources that ask about renames.
    var name: String?

    /// The directory that has this directory's name. Removing a directory that is open shows there
    /// and nowhere else.
    var parent: WatchedFile?
    /// The directories whose removal is to show here.
    var children: [ObjectIdentifier: WatchedFile] = [:]

    /// What the events that are being processed say.
    var news = FileNews()

    init(watch: Int32, isDirectory: Bool, asked: FileChanges) {
        self.watch = watch
        self.isDirectory = isDirectory
        self.asked = asked
    }

    var isUnused: Bool { sources.isEmpty && children.isEmpty }
    var needsParent: Bool { isDirectory && mask.contains(.delete) }

    /// What the kernel has to be asked for, for all that rely on this watch.
    var wanted: FileChanges {
        var wanted: FileChanges = sources.isEmpty ? [] : mask.changes(ofDirectory: isDirectory)
        if !children.isEmpty { wanted.insert(.deleted) }
        return wanted
    }

    func add(_ source: FileSystemSource) {
        source.file = self
        sources.append(source)
        mask.formUnion(source.mask)
    }

    func remove(_ source: FileSystemSource) {
        source.file = nil
        guard let index = sources.firstIndex(where: { $0 === source }) else { return }
        sources.remove(at: index)
        mask = sources.reduce(into: []) { $0.formUnion($1.mask) }
    }

    func removeSources() -> [FileSystemSource] {
        for source in sources { source.file = nil }
        defer {
            sources = []
            mask = []
        }
        return sources
    }

    /// Looks at the file again; what it was before, and what it is.
    func look() -> (old: FileStatus, new: FileStatus)? {
        guard let source = sources.first, let new = FileStatus(of: source.descriptor) else {
            return nil
        }
        defer {
            status = new
            isStatusBehind = false
        }
        return (status ?? new, new)
    }

    /// Its present name; a file that was removed has its last one.
    func currentName() -> String? {
        guard let source = sources.first,
            let name = Descriptors.name(of: source.descriptor)
        else { return nil }
        let mark = " (deleted)"
        return name.hasSuffix(mark) ? String(name.dropLast(mark.count)) : name
    }
}

/// What one batch of events says about a file. inotify merges equal events that follow one another,
/// so it counts for little how many there are.
struct FileNews {
    /// All that happened to the file itself and, of `FileChanges.entries`, to its entries.
    private(set) var changes: FileChanges = []
    private(set) var attributeEvents = 0
    /// A directory was made or removed in it.
    private(set) var hasNewDirectoryCount = false
    /// A directory in it was renamed, came or went.
    private(set) var hasMovedDirectory = false
    /// A directory in it was removed.
    private(set) var hasLostDirectory = false
    /// Directories that were moved away, by cookie, and did not turn up here again.
    private var departed: [UInt32] = []

    var isEmpty: Bool { changes.isEmpty }

    /// Directories came or went for which no counterpart was seen. Both ends of a rename that the
    /// end of a batch keeps apart are among them.
    var hasUnpairedMoves: Bool { !departed.isEmpty || hasNewDirectoryCount }

    mutating func note(_ event: FileEvent) {
        guard event.isOfEntry else {
            changes.formUnion(event.changes)
            if event.changes.contains(.attributes) { attributeEvents += 1 }
            return
        }
        let changes = event.changes.intersection(.entries)
        self.changes.formUnion(changes)
        guard event.changes.contains(.isDirectory), !changes.isEmpty else { return }
        switch changes {
        case .movedFrom:
            hasMovedDirectory = true
            departed.append(event.cookie)
        case .movedTo:
            hasMovedDirectory = true
            if let index = departed.firstIndex(of: event.cookie) {
                departed.remove(at: index)
            } else {
                hasNewDirectoryCount = true
            }
        case .deleted:
            hasNewDirectoryCount = true
            hasLostDirectory = true
        default:
            hasNewDirectoryCount = true
        }
    }
}
