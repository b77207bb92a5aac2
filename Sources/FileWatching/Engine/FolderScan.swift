internal import LinuxPlatform
internal import RingDispatch

/// A scan of one folder, as far as it only needs the kernel: adds the watch, then reads the
/// entries. Several scans run concurrently; the engine then compares their results with the tree.
final class FolderScan: @unchecked Sendable {
    // Safety: used by one thread at a time. The engine's queue makes it, waits for the thread that
    // runs it, and then takes the results.
    private let inotify: any Inotify
    private let options: FileTreeOptions
    /// Borrowed for this scan.
    private let folderReader: FolderReader

    let folder: NodeNumber
    /// The folder's flags when the scan was requested.
    let flags: NodeFlags
    /// The folder's path, null-terminated.
    let path: [UInt8]
    /// The folder may be reached by a symbolic link.
    private let followsLink: Bool
    /// The folder was removed during the scan.
    var isVoid = false

    // The results.

    private(set) var inode: UInt64?
    /// Nil if the folder could not be opened.
    private(set) var watch: Result<Int32, SystemError>?
    /// The watch of another folder, which was at the path for a moment.
    private(set) var strayWatch: Int32?
    /// The text of the folder's `.gitignore` file.
    private(set) var rules: [UInt8]?
    private(set) var entries: [Entry] = []
    /// Whether `readOn` has more entries.
    private(set) var hasMore = false
    /// The folder could not be opened or read.
    private(set) var error: SystemError?

    struct Entry {
        // Safety: in the reader's memory until the next reading.
        var name: UnsafeRawBufferPointer
        /// Nil if the entry could not be examined: if it was removed after it was listed, an event
        /// follows.
        var facts: FolderEntryFacts?
        /// The target of a symbolic link, if the options follow links.
        var target: FolderEntryFacts?
    }

    init(_ engine: WatchEngine, _ folder: NodeNumber, with folderReader: FolderReader) {
        inotify = engine.reader.inotify
        options = engine.options
        self.folderReader = folderReader
        self.folder = folder
        flags = engine.tree[folder].flags
        var path: [UInt8] = []
        engine.tree.write(pathOf: folder, to: &path)
        self.path = path
        followsLink = flags.contains(.link) || engine.tree[folder].parent == 0
    }

    /// Adds the watch before it reads, so that the kernel reports later changes.
    func make() {
        do throws(SystemError) {
            try folderReader.open(path: path, followsLink: followsLink)
            let facts = FolderEntryFacts(descriptor: folderReader.descriptor)
            inode = facts?.inode
            watch = Result { () throws(SystemError) in try addWatch(facts) }
            if options.readsGitignore {
                rules = try IgnoreRules.text(in: folderReader.descriptor)
            }
        } catch {
            self.error = error
            return folderReader.close()
        }
        readOn()
    }

    /// Watches the open folder. By its path, unless that leads elsewhere by now: the kernel finds a
    /// path faster than a descriptor.
    private func addWatch(_ folder: FolderEntryFacts?) throws(SystemError) -> Int32 {
        let place = FilePlace.path(path, followsLink: followsLink)
        do throws(SystemError) {
            let watch = try inotify.watch(place, for: .ofFolder, isAdding: true)
            let facts = try? FolderEntryFacts(path: path, followsLinks: followsLink)
            if let facts, facts == folder { return watch }
            strayWatch = watch
        } catch {
            // No other way to the folder helps at the limit of watches.
            if error.code == ErrorCode.noSpace { throw error }
        }
        return try inotify.watch(
            .object(descriptor: folderReader.descriptor), for: .ofFolder, isAdding: true)
    }

    /// Reads the next entries, as many as fit the buffer.
    func readOn() {
        entries.removeAll(keepingCapacity: true)
        do throws(SystemError) {
            hasMore = try folderReader.fill()
            folderReader.forEach { name, kind, inode in
                entries.append(entry(name, kind, inode))
            }
        } catch {
            hasMore = false
            self.error = error
        }
        if !hasMore { folderReader.close() }
    }

    private func entry(
        _ name: UnsafeRawBufferPointer, _ kind: FolderEntryFacts.Kind?, _ inode: UInt64
    ) -> Entry {
        if kind == .directory {
            let facts = FolderEntryFacts(
                kind: .directory, inode: inode, size: 0, modifiedNanoseconds: 0)
            return Entry(name: name, facts: facts)
        }
        let folder = folderReader.descriptor
        let facts = FolderEntryFacts(terminated: name, in: folder, followsLinks: false)
        let target =
            facts?.kind == .symlink && options.followsSymlinks
            ? FolderEntryFacts(terminated: name, in: folder, followsLinks: true) : nil
        return Entry(name: name, facts: facts, target: target)
    }

    /// Ends the scan, even if entries are left.
    func close() { folderReader.close() }
}
