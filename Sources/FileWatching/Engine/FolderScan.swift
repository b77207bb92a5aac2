internal import LinuxPlatform

/// A look at one folder as far as it only asks the kernel: watches it, then reads what is in it.
/// Several are made side by side; what they found is compared with the tree afterwards.
final class FolderScan: @unchecked Sendable {
    // Safety: one thread at a time: the engine's queue prepares it and takes what was found, and
    // waits meanwhile for the thread that makes it.
    private(set) var folder: NodeNumber = 0
    /// The folder's when the look was asked for.
    private(set) var flags: NodeFlags = []
    /// The folder was removed meanwhile.
    var isVoid = false
    /// The folder's, with a zero at the end.
    var path: [UInt8] = []
    private var request: Request?
    private let folderReader = FolderReader()

    /// What was found.
    private(set) var folderResult: Result<Folder, SystemError>?
    private(set) var entries: [Entry] = []
    /// There are further entries, for `readOn`.
    private(set) var hasMore = false
    private(set) var readingError: SystemError?

    struct Request {
        let reader: SharedInotifyReader
        let subscription: InotifySubscription
        /// The folder may be reached by a symbolic link.
        let followsLink: Bool
        let followsSymlinks: Bool
        let readsRules: Bool
    }

    struct Folder {
        var inode: UInt64?
        var watch: Result<Int32, SystemError>
        /// What its file of patterns has.
        var rules: [UInt8]?
    }

    struct Entry {
        // Safety: in the reader's memory until the next reading.
        var name: UnsafeRawBufferPointer
        var facts: FolderEntryFacts
        /// Of a symbolic link that may be followed: what it leads to.
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

    /// Watches before it reads: what comes later is told by the kernel.
    func make() {
        guard let request else { return }
        do throws(SystemError) {
            try folderReader.open(path: path, followsLink: request.followsLink)
        } catch {
            folderResult = .failure(error)
            return
        }
        let inode = FolderEntryFacts(descriptor: folderReader.descriptor)?.inode
        let watch = Result { () throws(SystemError) in
            try request.reader.watch(folderReader.descriptor, for: request.subscription)
        }
        let rules = request.readsRules ? IgnoreRules.text(in: folderReader.descriptor) : nil
        folderResult = .success(Folder(inode: inode, watch: watch, rules: rules))
        readOn()
    }

    /// Reads as many entries as there is memory for.
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

    /// There may be more, which nobody wants.
    func close() { folderReader.close() }
}
