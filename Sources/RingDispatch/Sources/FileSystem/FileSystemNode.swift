internal import LinuxPlatform

/// A file, or directory, that has a watch: its sources, and what is known of it. Belongs to the
/// reader's lock.
final class FileSystemNode {
    typealias Event = DispatchSource.FileSystemEvent

    /// The kernel's number for the watch.
    @exclusivity(unchecked) var watch: Int32
    let isDirectory: Bool
    /// What the kernel was asked for.
    @exclusivity(unchecked) var asked: InotifyMask
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
    @exclusivity(unchecked) var parent: FileSystemNode?
    /// The directories whose removal is to show here.
    @exclusivity(unchecked) var children: [ObjectIdentifier: FileSystemNode] = [:]

    /// What the events that are being processed say.
    @exclusivity(unchecked) var summary = InotifyEventSummary()
    /// The next file that they are about.
    @exclusivity(unchecked) var nextTouched: FileSystemNode?
    @exclusivity(unchecked) var moves = DirectoryMoves()

    init(watch: Int32, isDirectory: Bool, asked: InotifyMask) {
        self.watch = watch
        self.isDirectory = isDirectory
        self.asked = asked
    }

    var isUnused: Bool { sources.isEmpty && children.isEmpty }
    var needsParent: Bool { isDirectory && mask.contains(.delete) }

    /// What the kernel has to be asked for, for all that rely on this watch.
    var wanted: InotifyMask {
        var wanted: InotifyMask = sources.isEmpty ? [] : mask.inotifyMask(ofDirectory: isDirectory)
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
        source.node = self
        sources.append(source)
        mask.formUnion(source.mask)
    }

    func remove(_ source: FileSystemSource) {
        source.node = nil
        guard let index = sources.firstIndex(where: { $0 === source }) else { return }
        sources.remove(at: index)
        mask = sources.reduce(into: []) { $0.formUnion($1.mask) }
        if !mask.contains(.rename) { name = nil }
    }

    func removeSources() -> [FileSystemSource] {
        for source in sources { source.node = nil }
        defer {
            sources = []
            mask = []
        }
        return sources
    }

    /// The file as it is.
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

    /// Its present name; a file that was removed has its last one.
    func currentName() -> String? {
        guard let source = sources.first,
            let name = Descriptors.name(of: source.descriptor)
        else { return nil }
        let mark = " (deleted)"
        return name.hasSuffix(mark) ? String(name.dropLast(mark.count)) : name
    }
}
