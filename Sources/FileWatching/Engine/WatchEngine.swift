internal import LinuxPlatform
internal import RingDispatch
internal import SystemPackage

/// The core of a watcher: keeps the tree up to date by the kernel's events and by scans of folders,
/// and reports the changes. Confined to `queue`.
final class WatchEngine: @unchecked Sendable {
    // Safety: mutable state without a lock is used on `queue` only.
    let queue: DispatchQueue
    let options: FileTreeOptions
    let reporter: ChangeReporter
    private let mountTable: @Sendable () -> MountTable
    /// Set by `open`, before anything else is called.
    private(set) var reader: InotifyReader!

    let tree = FileTree()
    // Unchecked: one thread at a time uses the state, and overlapping accesses are to different
    // fields.
    @exclusivity(unchecked) var confined: State

    /// The state that belongs to the queue.
    struct State {
        var roots: [WatchRoot]
        /// By watch number. The kernel has one watch for each file, whatever leads to it.
        var purposes: [Int32: [WatchPurpose]] = [:]
        /// For the concurrent scans of a round; one is kept.
        var folderReaders: [FolderReader] = []
        /// The finished scans of this round whose results are not applied yet.
        var scanned: [FolderScan] = []
        var rules: IgnoreRules
        /// Buffer for building paths.
        var path: [UInt8] = []
        /// Folders to scan, the last one first.
        var pending: [NodeNumber] = []
        /// Folders that were not found at their paths, with the flags for their next scan: an event
        /// for a renaming should follow.
        var missed: [(folder: NodeNumber, flags: NodeFlags, error: SystemError)] = []
        /// Folders whose scan lacked a descriptor or memory, with the flags for the next one.
        var starved: [(folder: NodeNumber, flags: NodeFlags)] = []
        /// How often each folder was missed although all events were handled.
        var vainScans: [NodeNumber: Int] = [:]
        /// Folders in which entries were checked on the disk since the kernel's queue was last
        /// empty.
        var checkedFolders: Set<NodeNumber> = []
        /// Those of `checkedFolders` in which the check may have found another entry than the event
        /// was for.
        var doubtful: Set<NodeNumber> = []
        /// Entries that were not found under the names of their events. Where later events do not
        /// lead to them, their inode stays 0, and their folders are scanned.
        var unfound: [NodeNumber] = []
        /// Folders with the flag `fresh`.
        var fresh: [NodeNumber] = []
        var lastScanNanoseconds: UInt64 = 0
        /// All folders are being compared with the disk: events may report changes that the scans
        /// have found already.
        var isRepairing = false
        /// They are compared because events were lost.
        var hasLostEvents = false
        /// What was read from the kernel's queue, to be handled next.
        var waiting = InotifyBatch()
        /// A call of `run` is queued.
        var isScheduled = false
        /// The events after the one that is being handled.
        var upcoming: ArraySlice<InotifyBatch.Event> = []
        /// Renamed entries whose new path is not known yet.
        var departures: [(cookie: UInt32, node: NodeNumber, timeNanoseconds: UInt64)] = []
        /// The entry that the last event moved, if the event was a renaming.
        var lastArrived: NodeNumber = 0
        var phase = Phase.setup
        var counts = FileTreeStatistics()
        /// The errno of each folder whose last scan has failed, and was reported.
        var failures: [FilePath: Int32] = [:]
        /// When the comparison of the polled roots began, which goes on; 0: none does.
        var pollStart: UInt64 = 0
    }

    /// The first folder without a watch was reported; the others are not.
    var hasReportedWatchLimit = false
    var hasReportedProc = false
    let statistics = Locked(FileTreeStatistics())

    enum Phase {
        case setup
        /// The initial scan of the roots is in progress.
        case starting
        case ready
        case cancelled
    }

    /// The limit of events that wait during scans. More are an overflow.
    static let waitingEventLimit = 500_000

    init(
        _ roots: [FilePath], _ options: FileTreeOptions, _ target: DispatchQueue,
        mountTable: @escaping @Sendable () -> MountTable
    ) {
        self.options = options
        self.mountTable = mountTable
        confined = State(
            roots: WatchEngine.outermost(roots).map { WatchRoot(path: $0) },
            rules: IgnoreRules(options))
        queue = DispatchQueue(label: "file-watching.tree", qos: .userInitiated)
        reporter = ChangeReporter(target, window: options.window, engineQueue: queue)
    }

    /// Roots within other roots are watched with them.
    static func outermost(_ roots: [FilePath]) -> [FilePath] {
        let all = Set(roots)
        var kept: Set<FilePath> = []
        return roots.filter { root in
            var above = root
            while above.removeLastComponent() { if all.contains(above) { return false } }
            return kept.insert(root).inserted
        }
    }

    // MARK: life

    /// Begins to read the kernel's events, until `cancel`, which must follow.
    func open(_ inotify: any Inotify) throws(SystemError) {
        // Unowned: the call of `cancel` on the queue, which ends the reading, holds the engine.
        let new = InotifyReader(inotify, queue: queue) { [unowned self] in take($0.buffer, $1) }
        try new.start()
        reader = new
    }

    func activate() {
        queue.async { [self] in
            guard confined.phase == .setup else { return }
            confined.phase = .starting
            for index in confined.roots.indices { attach(index, isFirst: true) }
            beginPolling(mountTable())
            run()
        }
    }

    func cancel() {
        queue.async { [self] in
            guard confined.phase != .cancelled else { return }
            confined.phase = .cancelled
            confined.purposes = [:]
            reader?.close()
            reporter.cancel()
        }
    }

    // MARK: the queue's work

    private func take(_ events: InotifyEventBuffer, _ emptiedAtNanoseconds: UInt64?) {
        events.forEach { event, padded in
            if event.mask.contains(.overflowed) { confined.waiting.hasOverflowed = true }
            let name = padded.prefix { $0 != 0 }
            for purpose in confined.purposes[event.watch] ?? [] {
                // Many roots may be in one folder. Few of its events are about a root's path.
                if case .root(let index) = purpose, event.isOfEntry {
                    let expected = confined.roots[index].anchors[event.watch] ?? []
                    guard name.elementsEqual(expected) else { continue }
                }
                confined.waiting.add(event, for: purpose, name)
            }
            if event.mask.contains(.ended) { confined.purposes[event.watch] = nil }
        }
        if confined.waiting.events.count > WatchEngine.waitingEventLimit {
            confined.waiting = InotifyBatch(hasOverflowed: true)
        }
        if let emptiedAtNanoseconds {
            confined.waiting.emptiedAtNanoseconds = emptiedAtNanoseconds
        }
        scheduleRun()
    }

    /// The time for scans before the engine yields the thread.
    private static let scanNanoseconds: UInt64 = 5_000_000

    private func run() {
        guard confined.phase != .cancelled else { return }
        confined.isScheduled = false
        // A started scan is finished before later events are handled.
        if scanPending(for: WatchEngine.scanNanoseconds) {
            let batch = exchange(&confined.waiting, with: InotifyBatch())
            if !batch.isEmpty { handle(batch) }
            awaitEmptiness()
        } else {
            scheduleRun()
        }
        publish()
    }

    /// Scans pending folders. False if time ran out.
    @discardableResult
    private func scanPending(for limitNanoseconds: UInt64 = .max) -> Bool {
        guard !confined.pending.isEmpty else { return true }
        let start = MonotonicClock.nanoseconds()
        while true {
            scanSome()
            if confined.pending.isEmpty { return true }
            // Otherwise the kernel's queue might overflow.
            reader.read()
            if MonotonicClock.nanoseconds() - start > limitNanoseconds { return false }
        }
    }

    func scheduleRun() {
        guard !exchange(&confined.isScheduled, with: true) else { return }
        queue.async { [self] in run() }
    }

    /// Requests a scan of a folder.
    func push(_ folder: NodeNumber, _ flags: NodeFlags) {
        let isNew = !tree[folder].flags.contains(.pending)
        tree[folder].flags.formUnion(flags.union(.pending))
        if isNew { confined.pending.append(folder) }
    }

    /// Events that are older than the last scan may report changes that the scan has found: reads
    /// on, until the kernel's queue is empty.
    private func awaitEmptiness() {
        let isStarting = confined.phase == .starting && confined.starved.isEmpty
        let isNeeded =
            !confined.fresh.isEmpty || !confined.missed.isEmpty || !confined.doubtful.isEmpty
            || !confined.unfound.isEmpty || isStarting || confined.isRepairing
        if isNeeded { reader.read() }
    }

    /// Scans the missed folders again.
    /// - Parameter afterParents: scans their parents first, to find their current paths.
    private func retryMissed(afterParents: Bool = false) {
        guard !confined.missed.isEmpty else { return }
        let folders = confined.missed
        confined.missed = []
        // The node may be freed and reused, which does no harm.
        for missed in folders where tree[missed.folder].isFolder {
            push(missed.folder, missed.flags)
            let parent = tree[missed.folder].parent
            if afterParents, parent != 0 { push(parent, missed.flags) }
        }
        scanPending()
    }

    /// So many events are handled, then the kernel's queue is read, so that it does not overflow.
    private static let eventsBetweenReads = 256

    private func handle(_ batch: InotifyBatch) {
        confined.upcoming = batch.events[...]
        settleOverdue()
        if batch.hasOverflowed {
            repair()
            scanPending()
        }
        confined.counts.events += UInt64(batch.events.count)
        batch.names.withUnsafeBytes { names in
            var rest = names[...]
            var handled = 0
            while let event = confined.upcoming.popFirst() {
                let name = UnsafeRawBufferPointer(rebasing: rest.prefix(event.nameLength))
                rest = rest.dropFirst(event.nameLength)
                switch event.purpose {
                case .node(let node): handle(event.event, of: node, name)
                case .root(let index): handle(event.event, ofRoot: index)
                }
                // Discoveries are reported before later events.
                scanPending()
                handled += 1
                if handled.isMultiple(of: WatchEngine.eventsBetweenReads) {
                    reader.read()
                }
            }
        }
        confined.upcoming = []
        if let time = batch.emptiedAtNanoseconds { settle(time) }
        retryMissed()
        // The next events need the entries that earlier ones created.
        retryMissed(afterParents: true)
    }

    /// Called when all events before `time` are handled.
    private func settle(_ time: UInt64) {
        settleDepartures(before: time)
        guard confined.pending.isEmpty, time > confined.lastScanNanoseconds else { return }
        giveUpUnreachable()
        if !confined.missed.isEmpty {
            // No event reports their paths: scans of their parents, and the root's path, do.
            let folders = confined.missed.map(\.folder)
            for index in confined.roots.indices where folders.contains(confined.roots[index].node) {
                attach(index, isFirst: false)
            }
            retryMissed(afterParents: true)
            guard confined.missed.isEmpty, confined.fresh.isEmpty else { return }
        }
        confined.checkedFolders.removeAll(keepingCapacity: confined.checkedFolders.count < 64)
        for node in confined.unfound where tree[node].inode == 0 && tree[node].parent != 0 {
            confined.doubtful.insert(tree[node].parent)
        }
        confined.unfound = []
        guard confined.doubtful.isEmpty else {
            // All events are handled, so their current entries are final.
            for folder in confined.doubtful where tree[folder].isFolder { push(folder, []) }
            confined.doubtful.removeAll()
            scanPending()
            return
        }
        for node in confined.fresh { tree[node].flags.remove(.fresh) }
        confined.fresh.removeAll(keepingCapacity: confined.fresh.count < 64)
        for index in confined.roots.indices { confined.roots[index].isFresh = false }
        confined.isRepairing = false
        confined.hasLostEvents = false
        notePollEnd()
        guard confined.phase == .starting, confined.starved.isEmpty else { return }
        confined.phase = .ready
        publish()
        reporter.reportReady()
    }

    /// Publishes the counters and the ready changes.
    private func publish() {
        confined.counts.watches = tree.confined.watchCount
        confined.counts.folders = tree.confined.folderCount
        confined.counts.files = tree.fileCount
        let now = confined.counts
        statistics.withLock { $0 = now }
        reporter.publish()
    }

    // MARK: reporting

    func report(
        _ action: FileChange.Action, _ node: NodeNumber, isDiscovered: Bool = false,
        from previous: FilePath? = nil, isWhole: Bool = false,
        replaced: FolderEntryFacts.Kind? = nil
    ) {
        tree.write(pathOf: node, to: &confined.path)
        let change = FileChange(
            sequence: 0, timeNanoseconds: Int64(RealtimeClock.nanoseconds()),
            action: action, path: FilePath(terminated: confined.path), previousPath: previous,
            kind: FileChange.Kind(tree[node].kind), isDiscovered: isDiscovered)
        if isDiscovered && confined.isRepairing && confined.pollStart == 0 {
            confined.counts.repairs += 1
        }
        confined.counts.changes += 1
        reporter.add(change, isWhole: isWhole, replaced: replaced.map(FileChange.Kind.init))
    }

    func report(_ error: FileTreeError) { reporter.report(error) }
}

extension FileChange.Kind {
    init(_ kind: FolderEntryFacts.Kind) {
        switch kind {
        case .file: self = .file
        case .directory: self = .directory
        case .symlink: self = .symlink
        case .other: self = .other
        }
    }
}
