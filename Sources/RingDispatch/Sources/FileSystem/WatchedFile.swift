internal import Ring

/// A file, or directory, that has a watch: its sources, and what is known of it. Belongs to the
/// hub's lock.
final class WatchedFile {
    typealias Event = DispatchSource.FileSystemEvent

    /// The kernel's number for the watch.
    @exclusivity(unchecked) var watch: Int32
    let isDirectory: Bool
    /// What the kernel was asked for.
    @exclusivity(unchecked) var asked: FileChanges
    /// Each has a descriptor of the file.
    @exclusivity(unchecked) private(set) var sources: [FileSystemSource] = []
    /// What the sources ask for.
    @exclusivity(unchecked) private(set) var mask: Event = []

    /// The file as its sources know it, apart for what they were told of its content and of all
    /// else: a look tells more than the event that it is for, and what it shows of the other kind
    /// is left for that one's events, which may yet come or be lost.
    @exclusivity(unchecked) private(set) var content: FileStatus?
    @exclusivity(unchecked) private(set) var attributes: FileStatus?
    /// Writes were told since without a look at the content, or since the look at the attributes.
    @exclusivity(unchecked) private(set) var isContentBehind = false
    @exclusivity(unchecked) private(set) var wasWritten = false
    /// Its name, for sources that ask about renames.
    @exclusivity(unchecked) var name: String?

    /// The directory that has this directory's name. Removing a directory that is open shows there
    /// and nowhere else.
    @exclusivity(unchecked) var parent: WatchedFile?
    /// The directories whose removal is to show here.
    @exclusivity(unchecked) var children: [ObjectIdentifier: WatchedFile] = [:]

    /// What the events that are being processed say.
    @exclusivity(unchecked) var news = FileNews()

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

    /// - Parameter now: what the file is.
    func add(_ source: FileSystemSource, _ now: FileStatus) {
        // Events that the others wait for are to be compared with what these were told.
        if mask.isDisjoint(with: .compared) {
            learnAttributes(now)
            learnContent(now)
        } else if isContentBehind {
            learnContent(now)
        }
        source.file = self
        sources.append(source)
        mask.formUnion(source.mask)
    }

    func remove(_ source: FileSystemSource) {
        source.file = nil
        guard let index = sources.firstIndex(where: { $0 === source }) else { return }
        sources.remove(at: index)
        mask = sources.reduce(into: []) { $0.formUnion($1.mask) }
        if !mask.contains(.rename) { name = nil }
    }

    func removeSources() -> [FileSystemSource] {
        for source in sources { source.file = nil }
        defer {
            sources = []
            mask = []
        }
        return sources
    }

    /// The file as it is.
    func look() -> FileStatus? {
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
    /// A directory was made or removed in it, or moved to it from elsewhere.
    private var hasComeOrGone = false
    /// A directory in it was renamed, came or went.
    private(set) var hasDirectoryEntries = false
    /// A directory in it was removed.
    private(set) var hasLostDirectory = false
    /// Directories that were moved away, by cookie, and did not turn up here again.
    private var departed: [UInt32] = []

    var isEmpty: Bool { changes.isEmpty }
    /// The file is to be compared with what was known of it.
    var hasAttributes: Bool { !changes.isDisjoint(with: .ofLinks) }

    /// Directories came or went, and did not just change their names. The two events of a rename
    /// that are not in one batch look the same.
    var changesDirectoryCount: Bool { !departed.isEmpty || hasComeOrGone }

    mutating func note(_ event: FileEvent) {
        guard event.isOfEntry else {
            changes.formUnion(event.changes)
            if event.changes.contains(.attributes) { attributeEvents += 1 }
            return
        }
        let changes = event.changes.intersection(.entries)
        self.changes.formUnion(changes)
        guard event.changes.contains(.isDirectory), !changes.isEmpty else { return }
        hasDirectoryEntries = true
        switch changes {
        case .movedFrom:
            departed.append(event.cookie)
        case .movedTo:
            if let index = departed.firstIndex(of: event.cookie) {
                departed.remove(at: index)
            } else {
                hasComeOrGone = true
            }
        case .deleted:
            hasComeOrGone = true
            hasLostDirectory = true
        default:
            hasComeOrGone = true
        }
    }
}
