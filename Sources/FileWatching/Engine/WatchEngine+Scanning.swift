internal import LinuxPlatform
internal import RingDispatch
internal import SystemPackage

/// Scans folders: adds the watch first, then compares the entries with the tree.
extension WatchEngine {
    /// The maximum of concurrent scans.
    private static let mostScans = 32
    /// Fewer folders are not worth another thread.
    private static let fewestSideBySide = 4

    /// Scans some of the pending folders.
    func scanSome() {
        let isWorthIt = confined.pending.count >= WatchEngine.fewestSideBySide
        let scans = nextScans(isWorthIt ? WatchEngine.mostScans : 1)
        if scans.count > 1 {
            DispatchQueue.concurrentPerform(iterations: scans.count) { scans[$0].make() }
        } else {
            scans.first?.make()
        }
        confined.scanned = scans
        noteWatches()
        for scan in scans { if scan.isVoid { drop(scan) } else { take(scan) } }
        confined.scanned = []
        let surplus = confined.folderReaders.count - 1
        if confined.pending.isEmpty && surplus > 0 { confined.folderReaders.removeLast(surplus) }
    }

    private func nextScans(_ most: Int) -> [FolderScan] {
        var scans: [FolderScan] = []
        while scans.count < most, let folder = confined.pending.popLast() {
            guard tree[folder].flags.contains(.pending) else { continue }
            if scans.count == confined.folderReaders.count {
                confined.folderReaders.append(FolderReader())
            }
            scans.append(FolderScan(self, folder, with: confined.folderReaders[scans.count]))
            // From here on another scan may be requested.
            tree[folder].flags.subtract([.pending, .quiet, .repair])
        }
        return scans
    }

    /// Discards a scan whose folder was removed while results of the same round were applied. The
    /// node may be reused already.
    private func drop(_ scan: FolderScan) {
        scan.close()
        if case .success(let watch)? = scan.watch {
            remove(.node(scan.folder), of: watch)
        }
    }

    /// Notes what the scans' watches are for, before the next events are read.
    private func noteWatches() {
        for scan in confined.scanned {
            if case .success(let watch)? = scan.watch { note(.node(scan.folder), of: watch) }
        }
        for stray in confined.scanned.compactMap(\.strayWatch) { removeIfUnused(stray) }
    }

    private func take(_ scan: FolderScan) {
        let folder = scan.folder
        let flags = scan.flags
        guard let watch = scan.watch else { return end(scan) }
        var isOther = false
        if let inode = scan.inode {
            isOther = tree[folder].inode != 0 && tree[folder].inode != inode
            tree[folder].inode = inode
        }
        // A new watch: the folder was removed and made again, and its old events are dropped.
        let hasLostEvents =
            confined.hasLostEvents || isOther || tree[folder].lacksWatch
            || tree[folder].watch != (try? watch.get())
        set(watch, of: folder, scan)
        if !flags.contains(.fresh) {
            tree[folder].flags.insert(.fresh)
            confined.fresh.append(folder)
        }
        if scan.error == nil { confined.rules.set(scan.rules, of: folder) }
        let isQuiet = flags.contains(.quiet)
        let isRepair = flags.contains(.repair) || isOther
        while true {
            for entry in scan.entries {
                meet(
                    entry, in: folder, isQuiet: isQuiet, isRepair: isRepair,
                    hasLostEvents: hasLostEvents)
            }
            guard scan.hasMore else { break }
            scan.readOn()
            reader.read()
        }
        endSeeing(in: folder, isComplete: scan.error == nil)
        end(scan)
    }

    /// Handles what kept the scan from its end, if anything did.
    private func end(_ scan: FolderScan) {
        if let error = scan.error {
            // The folder was removed, renamed or replaced; an event follows.
            if error.isAbsence {
                let flags = scan.flags.intersection([.quiet, .repair])
                confined.missed.append((scan.folder, flags, error))
            } else {
                fail(error, scan)
            }
        }
        confined.lastScanNanoseconds = MonotonicClock.nanoseconds()
    }

    /// The pause before scans that lacked a descriptor or memory are repeated.
    private static let starvedMilliseconds = 1000

    /// Reports that a folder was not watched or scanned. In a shortage, repeats the scan later.
    private func fail(_ error: SystemError, _ scan: FolderScan) {
        let isShortage = ErrorCode.isShortage(error.code)
        fail(error, FilePath(terminated: scan.path), isRepeated: isShortage)
        guard isShortage else { return }
        confined.starved.append((scan.folder, scan.flags.intersection(.quiet).union(.repair)))
        guard confined.starved.count == 1 else { return }
        let pause = DispatchTimeInterval.milliseconds(WatchEngine.starvedMilliseconds)
        queue.asyncAfter(deadline: .now() + pause) { [weak self] in self?.scanStarved() }
    }

    private func scanStarved() {
        guard confined.phase != .cancelled else { return }
        // As after an overflow: a scan that was part of its repair was lost.
        confined.isRepairing = true
        confined.hasLostEvents = true
        // The node may be freed and reused, which does no harm.
        for starved in confined.starved where tree[starved.folder].isFolder {
            // What is found after the start is a change.
            push(starved.folder, confined.phase == .ready ? .repair : starved.flags)
        }
        confined.starved = []
        scheduleRun()
    }

    private func set(
        _ watch: Result<Int32, SystemError>, of folder: NodeNumber, _ scan: FolderScan
    ) {
        switch watch {
        case .success(let watch):
            if scan.error == nil && !confined.failures.isEmpty {
                confined.failures[FilePath(terminated: scan.path)] = nil
            }
            if let old = tree[folder].watch, old != watch {
                remove(.node(folder), of: old)
            }
            tree.setWatch(of: folder, to: watch)
        case .failure(let error) where error.code == ErrorCode.noEntry:
            // The folder is open, so the path that is missing is /proc/thread-self/fd.
            guard !hasReportedProc else { return }
            hasReportedProc = true
            report(FileTreeError(withoutProc: FilePath(terminated: scan.path)))
        case .failure(let error): fail(error, scan)
        }
    }

    /// A folder that is removed between the scan of its parent and its own scan is missed once,
    /// hardly twice.
    private static let vainScanLimit = 20

    /// Reports folders that their parent lists but that cannot be opened: too many links lead to
    /// them, or a mounted file system does not answer. The next scan of the parent tries again.
    func giveUpUnreachable() {
        var scans: [NodeNumber: Int] = [:]
        confined.missed.removeAll { missed in
            guard tree[missed.folder].isFolder else { return true }
            // A folder that is being renamed is listed nowhere until its other event arrives.
            let isDeparting = confined.departures.contains { tree.isBelow(missed.folder, $0.node) }
            let count = confined.vainScans[missed.folder, default: 0] + (isDeparting ? 0 : 1)
            guard count == WatchEngine.vainScanLimit else {
                scans[missed.folder] = count
                return false
            }
            tree.write(pathOf: missed.folder, to: &confined.path)
            report(FileTreeError(unreachable: FilePath(terminated: confined.path), missed.error))
            return true
        }
        confined.vainScans = scans
    }

    /// Reports a failure once, until the folder is scanned without one. At the limit of watches,
    /// only the roots and one other folder are named.
    /// - Parameter isRepeated: the scan that has failed is repeated.
    func fail(_ error: SystemError, _ path: FilePath, isRepeated: Bool = false) {
        if error.code == ErrorCode.noSpace,
            !confined.roots.contains(where: { $0.path == path })
        {
            guard !hasReportedWatchLimit else { return }
            hasReportedWatchLimit = true
        }
        if confined.failures.updateValue(error.code, forKey: path) != error.code {
            report(FileTreeError(watching: path, error, isRepeated: isRepeated))
        }
    }

    /// - Parameter hasLostEvents: not every change since the folder's last scan was reported or is
    ///   in the kernel's queue.
    private func meet(
        _ entry: FolderScan.Entry, in folder: NodeNumber, isQuiet: Bool, isRepair: Bool,
        hasLostEvents: Bool
    ) {
        // Even in a new folder: what is replaced while the kernel lists it may be listed twice.
        let known = tree.child(of: folder, entry.name)
        if let known, tree[known].flags.contains(.departing) { return }
        guard let listed = entry.facts else {
            if let known { tree[known].flags.insert(.seen) }
            return
        }
        let (facts, isLink) = followed(listed, in: folder) { entry.target }
        // A pattern for folders does not match a link to one.
        let isFolder = listed.kind == .directory
        guard !confined.rules.ignores(entry.name, isFolder, in: folder, tree) else { return }
        if let known {
            if isSame(known, facts) {
                tree[known].flags.insert(.seen)
                if facts.kind == .directory {
                    if isRepair || tree[known].lacksWatch {
                        push(known, isRepair ? .repair : [])
                    }
                } else if isChanged(known, facts, hasLostEvents: hasLostEvents) {
                    tree.update(known, facts)
                    report(.modified, known, isDiscovered: true)
                }
                return
            }
            if isQuiet { remove(known) } else { removeAndReport(known, isDiscovered: true) }
        }
        let node = tree.insert(entry.name, in: folder, facts, isLink ? [.link, .seen] : .seen)
        if !isQuiet { report(.created, node, isDiscovered: true) }
        if facts.kind == .directory { push(node, isQuiet ? .quiet : []) }
    }

    /// Whether the scan reports a change of the file.
    private func isChanged(
        _ known: NodeNumber, _ facts: FolderEntryFacts, hasLostEvents: Bool
    ) -> Bool {
        let isUnexamined = tree[known].flags.contains(.unexamined)
        // A lost change may have undone the one that was reported.
        guard tree.differs(known, from: facts) else {
            return hasLostEvents && isUnexamined
        }
        // Otherwise its event was reported. Its facts stay as they are: events in the queue, such
        // as a removal, are compared with them.
        return hasLostEvents || confined.pollStart != 0 || !isUnexamined
            || tree[known].inode != facts.inode
    }

    /// Whether the entry is still the known folder, or a file. A folder's list has the inode of the
    /// folder below a mount point, and of a btrfs subvolume another one than the subvolume's own.
    private func isSame(_ known: NodeNumber, _ facts: FolderEntryFacts) -> Bool {
        guard tree[known].kind == facts.kind else { return false }
        if facts.kind != .directory || tree[known].inode == facts.inode { return true }
        tree.write(pathOf: known, to: &confined.path)
        let isLink = tree[known].flags.contains(.link)
        let actual = try? FolderEntryFacts(path: confined.path, followsLinks: isLink)
        return actual?.inode == tree[known].inode
    }

    /// Follows a symbolic link to a folder, if the options ask for it and the link is not inside
    /// that folder.
    func followed(
        _ facts: FolderEntryFacts, in folder: NodeNumber, _ scan: () -> FolderEntryFacts?
    ) -> (FolderEntryFacts, isLink: Bool) {
        guard options.followsSymlinks, facts.kind == .symlink, let target = scan(),
            target.kind == .directory
        else { return (facts, false) }
        let isLoop = tree.lineage(of: folder).contains { ancestor in
            guard tree[ancestor].inode == target.inode else { return false }
            // Folders of different file systems may have the same inode number.
            var path: [UInt8] = []
            tree.write(pathOf: ancestor, to: &path)
            let found = try? FolderEntryFacts(path: path, followsLinks: true)
            return found == nil || found?.device == target.device
        }
        return isLoop ? (facts, false) : (target, true)
    }

    /// Removes the children that a complete scan has not found.
    private func endSeeing(in folder: NodeNumber, isComplete: Bool) {
        var child = tree[folder].firstChild
        while child != 0 {
            let next = tree[child].next
            let flags = tree[child].flags
            tree[child].flags.remove(.seen)
            if isComplete, flags.isDisjoint(with: [.seen, .departing]) { lose(child, in: folder) }
            child = next
        }
    }

    /// Removes a node that a scan did not find. The removal of an ignored entry is not reported.
    private func lose(_ node: NodeNumber, in folder: NodeNumber) {
        let name = tree.confined.names.withName(of: tree[node]) { Array($0) }
        let isFolder = tree[node].isFolder && !tree[node].flags.contains(.link)
        let isIgnored = name.withUnsafeBytes {
            confined.rules.ignores($0, isFolder, in: folder, tree)
        }
        if isIgnored { remove(node) } else { removeAndReport(node, isDiscovered: true) }
    }

    // MARK: removing

    func removeAndReport(_ node: NodeNumber, isDiscovered: Bool = false) {
        // Before the folder's own removal is reported.
        settleDepartures(below: node)
        report(
            .removed, node, isDiscovered: isDiscovered, isWhole: tree[node].firstChild != 0)
        remove(node)
    }

    /// Removes a node and its descendants, and their watches.
    func remove(_ node: NodeNumber) {
        settleDepartures(below: node)
        if tree[node].isFolder { release(node) }
        tree.remove(node)
    }

    /// Ends what concerns a folder and the folders below it: watches, rules and scans.
    func release(_ folder: NodeNumber) {
        tree.forEach(below: folder) { node in
            guard tree[node].isFolder else { return }
            if let watch = tree[node].watch {
                remove(.node(node), of: watch)
            }
            confined.rules.forget(node)
            forgetFailure(of: node)
            for scan in confined.scanned where scan.folder == node { scan.isVoid = true }
        }
    }

    /// Called before a folder leaves its path.
    func forgetFailure(of folder: NodeNumber) {
        guard !confined.failures.isEmpty else { return }
        tree.write(pathOf: folder, to: &confined.path)
        confined.failures[FilePath(terminated: confined.path)] = nil
    }

    // MARK: repairing

    /// Called when changes were lost: compares the whole tree with the disk.
    func repair() {
        confined.counts.overflows += 1
        confined.counts.rescans += 1
        confined.hasLostEvents = true
        reportOverflow()
        compareRoots(isPoll: false)
    }

    /// Requests scans that compare the trees with the disk.
    /// - Parameter isPoll: only those that are polled; the watches of the folders above them stay.
    ///   Otherwise the events were lost, or make no sense, and departures are forgotten.
    func compareRoots(isPoll: Bool) {
        if !isPoll { forgetDepartures() }
        confined.isRepairing = true
        for index in confined.roots.indices where !isPoll || confined.roots[index].isPolled {
            let node = confined.roots[index].node
            if isPoll && confined.roots[index].parentWatch != nil {
                let inode = tree[node].inode
                examine(index)
                if needsFileWatch(index, since: inode) { attach(index, isFirst: false) }
            } else {
                attach(index, isFirst: false)
            }
            if node != 0, confined.roots[index].node == node, tree[node].isFolder {
                push(node, .repair)
            }
        }
    }

    /// Whether the root is a file that its watch, if it has one, is not for.
    private func needsFileWatch(_ index: Int, since inode: UInt64) -> Bool {
        let root = confined.roots[index]
        guard root.node != 0, !tree[root.node].isFolder else { return false }
        return root.fileWatch == nil || tree[root.node].inode != inode
    }

    private func reportOverflow() {
        guard let first = confined.roots.first else { return }
        for (action, roots) in [(FileChange.Action.overflow, [first]), (.rescan, confined.roots)] {
            for root in roots {
                let kind = root.node == 0 ? .directory : FileChange.Kind(tree[root.node].kind)
                confined.counts.changes += 1
                reporter.add(
                    FileChange(
                        sequence: 0,
                        timeNanoseconds: Int64(RealtimeClock.nanoseconds()),
                        action: action, path: root.path, kind: kind),
                    isWhole: true)
            }
        }
        report(FileTreeError(queueOverflowOf: first.path))
    }
}
