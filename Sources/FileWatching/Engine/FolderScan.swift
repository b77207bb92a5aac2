internal import LinuxPlatform

/// A scan of one folder, as far as it only needs the kernel: adds the watch, then reads the
/// entries. Several scans run concurrently; the engine then compares their results with the tree.
final class FolderScan: @unchecked Sendable {
    // Safety: used by one thread at a time. The engine's queue prepares it, waits for the thread
    // that runs it, and then takes the results.
    private(set) var folder: NodeNumber = 0
    /// The folder's flags when the scan was requested.
    private(set) var flags: NodeFlags = []
    /// The folder was removed during the scan.
    var isVoid = false
    /// The folder's path, null-terminated.
    var path: [UInt8] = []
    private var request: Request?
    private let folderReader = FolderReader()

    /// The results.
    private(set) var folderResult: Result<Folder, SystemError>?
    private(set) var entries: [Entry] = []
    /// Whether `readOn` has more entries.
    private(set) var hasMore = false
    private(set) var readingError: SystemError?

    struct Request {
        let watches: SharedWatches
        let subscription: InotifySubscription
        /// The folder may be reached by a symbolic link.
        let followsLink: Bool
        let followsSymlinks: Bool
        let readsRules: Bool
    }

    struct Folder {
        var inode: UInt64?
        var watch: Result<Int32, SystemError>
        /// The text of the folder's `.gitignore` file.
        var rules: [UInt8]?
    }

    struct Entry {
        // Safety: in the reader's memory until the next reading.
        var name: UnsafeRawBufferPointer
        var facts: FolderEntryFacts
        /// The target of a symbolic link, if the options follow links.
        var target: FolderEntryFacts?
    }

    func prepare(_ folder: NodeNumber, _ flags: NodeFlags, _ request: Request) {
        self.folder = folder
        self.flags = flags
        isVoid = false
        self.request = request
        folderResult = nil
        entries.removeAll(keepingCapacity: true)
        hasMore = false
        readingError = nil
    }

    /// Adds the watch before it reads, so that the kernel reports later changes.
    func make() {
        guard let request else { return }
        do throws(SystemError) {
            try folderReader.open(path: path, followsLink: request.followsLink)
        } catch {
            folderResult = .failure(error)
            return
        }
        let facts = FolderEntryFacts(descriptor: folderReader.descriptor)
        let watch = Result { () throws(SystemError) in try addWatch(request, facts) }
        let rules = request.readsRules ? IgnoreRules.text(in: folderReader.descriptor) : nil
        folderResult = .success(Folder(inode: facts?.inode, watch: watch, rules: rules))
        readOn()
    }

    /// Watches the open folder. By its path, unless that leads elsewhere by now: the kernel finds a
    /// path faster than a descriptor.
    private func addWatch(
        _ request: Request, _ folder: FolderEntryFacts?
    ) throws(SystemError) -> Int32 {
        let place = FilePlace.path(path, followsLink: request.followsLink)
        if let watch = try? request.watches.watch(place, for: request.subscription) {
            let facts = FolderEntryFacts(path: path, followsLinks: request.followsLink)
            if let facts, facts == folder { return watch }
            request.watches.unwatch(watch, for: request.subscription)
        }
        return try request.watches.watch(
            .object(descriptor: folderReader.descriptor), for: request.subscription)
    }

    /// Reads the next entries, as many as fit the buffer.
    func readOn() {
        entries.removeAll(keepingCapacity: true)
        do throws(SystemError) {
            hasMore = try folderReader.fill()
            folderReader.forEach { name, kind, inode in
                if let entry = entry(name, kind, inode) { entries.append(entry) }
            }
        } catch {
            hasMore = false
            readingError = error
        }
        if !hasMore { folderReader.close() }
    }

    private func entry(
        _ name: UnsafeRawBufferPointer, _ kind: FolderEntryFacts.Kind?, _ inode: UInt64
    ) -> Entry? {
        if kind == .directory {
            let facts = FolderEntryFacts(
                kind: .directory, inode: inode, size: 0, modifiedNanoseconds: 0)
            return Entry(name: name, facts: facts)
        }
        let folder = folderReader.descriptor
        guard let facts = FolderEntryFacts(terminated: name, in: folder, followsLinks: false)
        else { return nil }
        let target =
            facts.kind == .symlink && request?.followsSymlinks == true
            ? FolderEntryFacts(terminated: name, in: folder, followsLinks: true) : nil
        return Entry(name: name, facts: facts, target: target)
    }

    /// Ends the scan, even if entries are left.
    func close() { folderReader.close() }
}
