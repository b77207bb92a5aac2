internal import LinuxPlatform
internal import RingDispatch
internal import SystemPackage

/// Handles the kernel's events for the entries of folders.
extension WatchEngine {
    func handle(_ event: InotifyEvent, of folder: NodeNumber, _ name: UnsafeRawBufferPointer) {
        // The node may have been freed and reused for another folder.
        guard tree[folder].watch == event.watch else { return }
        guard event.isOfEntry else { return handle(event, ofFolder: folder) }
        let mask = event.mask
        let isDirectory = mask.contains(.isDirectory)
        if confined.rules.ignores(name, isDirectory, in: folder, tree) {
            // The file may ignore itself.
            if confined.rules.areRead(from: name) { push(folder, .repair) }
            // A rename to an ignored name counts as a removal.
            if mask.contains(.movedTo), let node = takeDeparture(event.cookie) {
                removeAndReport(node)
            }
            return
        }
        if mask.contains(.created) {
            appear(name, in: folder, isDirectory)
        } else if mask.contains(.movedTo) {
            guard isPossible(event.cookie, folder, name) else {
                return compareRoots(isPoll: false)
            }
            if !arrive(name, in: folder, event.cookie) { appear(name, in: folder, isDirectory) }
        } else if mask.contains(.deleted) {
            disappear(name, in: folder)
        } else if mask.contains(.movedFrom) {
            depart(name, in: folder, event.cookie)
        } else if mask.contains(.modified) {
            touch(name, in: folder, .modified)
        } else if mask.contains(.attributes) {
            touch(name, in: folder, .attributes)
        }
        confined.lastArrived = mask.contains(.movedTo) ? tree.child(of: folder, name) ?? 0 : 0
        // The scan finds entries that are no longer ignored, and removes ignored ones.
        if confined.rules.areRead(from: name) { push(folder, .repair) }
    }

    /// Handles an event of the folder itself. Its parent usually reports the same change.
    private func handle(_ event: InotifyEvent, ofFolder folder: NodeNumber) {
        if event.mask.contains(.ended) {
            tree.setWatch(of: folder, to: nil)
            // After an unmount, another folder may be at the path.
            push(folder, .repair)
        }
        let isMoved = event.mask.contains(.selfMoved)
        // A link's target has moved, but the link has not: it may lead to another folder by now.
        if isMoved, tree[folder].flags.contains(.link) { push(tree[folder].parent, []) }
        let isEnd = !event.mask.isDisjoint(with: [.selfDeleted, .ended])
        if let index = confined.roots.firstIndex(where: { $0.node == folder }),
            isMoved || isEnd && confined.roots[index].parentWatch == nil
        {
            attach(index, isFirst: false)
        }
    }

    private func isAmbiguous(_ folder: NodeNumber) -> Bool {
        confined.isRepairing || tree[folder].flags.contains(.fresh)
    }

    /// The facts of an event's entry. Nil if the entry is gone, or if its name now belongs to an
    /// entry of the other kind (folder or not); an event for that change follows.
    /// - Parameter isDirectory: nil: any kind.
    private func facts(
        _ name: UnsafeRawBufferPointer, in folder: NodeNumber, _ isDirectory: Bool? = nil
    ) -> (FolderEntryFacts, isLink: Bool)? {
        tree.write(pathOf: folder, name, to: &confined.path)
        confined.checkedFolders.insert(folder)
        guard let facts = try? FolderEntryFacts(path: confined.path, followsLinks: false) else {
            return nil
        }
        let found = followed(facts, in: folder) {
            try? FolderEntryFacts(path: confined.path, followsLinks: true)
        }
        let isFolder = found.0.kind == .directory
        return isDirectory == nil || found.isLink || isFolder == isDirectory ? found : nil
    }

    // MARK: creation, removal, modification

    private func appear(
        _ name: UnsafeRawBufferPointer, in folder: NodeNumber, _ isDirectory: Bool,
        isDiscovered: Bool = false
    ) {
        let found = facts(name, in: folder, isDirectory)
        var known = tree.child(of: folder, name)
        if let node = known, tree[node].flags.contains(.departing) {
            removeAndReport(node)
            known = nil
        }
        if let known {
            // The entry is gone again; an event for that follows.
            guard let (facts, _) = found else { return }
            let isSame = facts.inode == tree[known].inode
            if facts.kind == tree[known].kind, isSame || facts.kind != .directory {
                if tree[known].lacksWatch { push(known, []) }
                // Events for later writes may follow, or be lost.
                guard tree.differs(known, from: facts), !isSame || !isAmbiguous(folder) else {
                    return
                }
                tree.update(known, facts)
                return report(.modified, known)
            }
            removeAndReport(known)
        }
        let kind: FolderEntryFacts.Kind = isDirectory ? .directory : .file
        let (facts, isLink) =
            found
            ?? (FolderEntryFacts(kind: kind, inode: 0, size: 0, modifiedNanoseconds: 0), false)
        let node = tree.insert(name, in: folder, facts, isLink ? .link : [])
        if found == nil { confined.unfound.append(node) }
        report(.created, node, isDiscovered: isDiscovered)
        if facts.kind == .directory { push(node, []) }
    }

    private func disappear(_ name: UnsafeRawBufferPointer, in folder: NodeNumber) {
        guard let node = tree.child(of: folder, name) else { return }
        if tree[node].flags.contains(.departing) { return removeAndReport(node) }
        if isAmbiguous(folder), isStale(node, name, in: folder, isExact: true) { return }
        removeAndReport(node)
    }

    /// Marks the folders below a renamed folder as doubtful whose entries were checked, or which
    /// were scanned, under an outdated path.
    private func doubt(below folder: NodeNumber) {
        for other in confined.checkedFolders where tree.isBelow(other, folder) {
            confined.doubtful.insert(other)
        }
        guard !confined.fresh.isEmpty else { return }
        tree.forEach(below: folder) { node in
            if tree[node].flags.contains(.fresh) { confined.doubtful.insert(node) }
        }
    }

    /// Whether the event that removes an entry is outdated: a scan has already found a later entry
    /// of the same name.
    /// - Parameter isExact: whether all facts of the entry must match; otherwise its inode.
    private func isStale(
        _ node: NodeNumber, _ name: UnsafeRawBufferPointer, in folder: NodeNumber, isExact: Bool
    ) -> Bool {
        guard let (facts, _) = facts(name, in: folder), facts.kind == tree[node].kind else {
            return false
        }
        return isExact ? !tree.differs(node, from: facts) : facts.inode == tree[node].inode
    }

    private func touch(
        _ name: UnsafeRawBufferPointer, in folder: NodeNumber, _ action: FileChange.Action
    ) {
        guard let node = tree.child(of: folder, name) else {
            guard let (facts, _) = facts(name, in: folder) else { return }
            return appear(
                name, in: folder, facts.kind == .directory, isDiscovered: true)
        }
        let known = tree[node]
        if known.isFolder {
            // The folder may have become readable.
            if known.lacksWatch { push(node, []) }
            return report(action, node)
        }
        var action = action
        // Its kind was a guess, or the next poll must tell this change from those of others.
        let isGuess = known.inode == 0
        if isGuess || confined.counts.polledRoots > 0,
            let (facts, isLink) = facts(name, in: folder, false), !isLink,
            // Otherwise events for another file at the path follow.
            isGuess || facts.inode == known.inode && facts.kind == known.kind,
            // Otherwise it was written, too.
            isGuess || action == .modified || facts.size == known.size
        {
            // After a renaming in doubt, they may be those of another file, whose events are stale.
            if isGuess, known.modifiedNanoseconds != 0 { action = .modified }
            tree[node].kind = facts.kind
            tree.update(node, facts)
        }
        // The events for later writes may be lost; a file's other names have no event.
        tree[node].flags.insert(.unexamined)
        report(action, node)
    }

    // MARK: renames

    /// How long to wait for the second event of a rename.
    private static let departureMilliseconds = 10
    /// How many of the next events to search. The kernel queues the two events close together, so
    /// if any events follow the first one, the second is among them.
    private static let eventsBetweenEnds = 64

    /// Whether the second event of a rename is among the next events; nil if there are none.
    private func isArriving(_ cookie: UInt32) -> Bool? {
        let next = confined.upcoming.prefix(WatchEngine.eventsBetweenEnds)
        if next.isEmpty { return nil }
        return next.contains { $0.event.cookie == cookie && $0.event.mask.contains(.movedTo) }
    }

    /// Called before events are handled. Removes the departed entries whose arrival is not among
    /// these events: they were moved out of the tree.
    func settleOverdue() {
        while let index = confined.departures.firstIndex(where: { isArriving($0.cookie) == false })
        {
            removeAndReport(removeDeparture(at: index))
        }
    }

    private func depart(
        _ name: UnsafeRawBufferPointer, in folder: NodeNumber, _ cookie: UInt32
    ) {
        guard let node = tree.child(of: folder, name) else { return }
        if tree[node].flags.contains(.departing) { return removeAndReport(node) }
        // When two entries exchange their names (renameat2), the kernel reports the arrival at a
        // name right before the departure from it.
        if isAmbiguous(folder) || node == confined.lastArrived,
            isStale(node, name, in: folder, isExact: false)
        {
            // It has left its path and returned, perhaps while it was scanned.
            if tree[node].isFolder { doubt(below: node) }
            return
        }
        if isArriving(cookie) == false { return removeAndReport(node) }
        tree[node].flags.insert(.departing)
        confined.departures.append((cookie, node, MonotonicClock.nanoseconds()))
        guard confined.departures.count == 1 else { return }
        awaitArrivals()
    }

    /// Waits until no departure is left. A departure is given up only when all events that followed
    /// it have been handled, however slowly they are read.
    private func awaitArrivals() {
        let wait = DispatchTimeInterval.milliseconds(WatchEngine.departureMilliseconds)
        queue.asyncAfter(deadline: .now() + wait) { [self] in
            guard confined.phase != .cancelled, !confined.departures.isEmpty else { return }
            reader.read()
            awaitArrivals()
        }
    }

    /// Called when all events before `time` are handled: gives up the departures that have waited
    /// long enough.
    func settleDepartures(before time: UInt64) {
        let wait = UInt64(WatchEngine.departureMilliseconds) * 1_000_000
        while let oldest = confined.departures.first, oldest.timeNanoseconds + wait <= time {
            removeAndReport(removeDeparture(at: 0))
        }
    }

    private func takeDeparture(_ cookie: UInt32) -> NodeNumber? {
        confined.departures.firstIndex { $0.cookie == cookie }.map(removeDeparture)
    }

    private func removeDeparture(at index: Int) -> NodeNumber {
        let node = confined.departures.remove(at: index).node
        tree[node].flags.remove(.departing)
        return node
    }

    func forgetDepartures() {
        for departure in confined.departures { tree[departure.node].flags.remove(.departing) }
        confined.departures.removeAll()
    }

    /// Removes entries that departed from below a node that is about to be removed: they count as
    /// moved out of the tree.
    func settleDepartures(below node: NodeNumber) {
        confined.departures.removeAll { $0.node == node }
        while let index = confined.departures.firstIndex(where: { tree.isBelow($0.node, node) }) {
            removeAndReport(removeDeparture(at: index))
        }
    }

    /// Whether a rename is possible in the current tree. If a scan has found a later state, the
    /// rename might move a folder into itself.
    private func isPossible(
        _ cookie: UInt32, _ folder: NodeNumber, _ name: UnsafeRawBufferPointer
    ) -> Bool {
        guard let node = confined.departures.first(where: { $0.cookie == cookie })?.node else {
            return true
        }
        if tree.isBelow(folder, node) { return false }
        guard let old = tree.child(of: folder, name), old != node else { return true }
        return !tree.isBelow(node, old)
    }

    /// Handles the second event of a rename. Returns false if the entry was moved in from outside,
    /// or if the tree is outdated.
    private func arrive(
        _ name: UnsafeRawBufferPointer, in folder: NodeNumber, _ cookie: UInt32
    ) -> Bool {
        guard let node = takeDeparture(cookie) else { return false }
        let isFolder = tree[node].isFolder
        let found = facts(name, in: folder, isFolder)?.0
        if let found, isOther(node, found) {
            removeAndReport(node)
            return false
        }
        var replaced: (kind: FolderEntryFacts.Kind, isFull: Bool)?
        if let old = tree.child(of: folder, name), old != node {
            if isFoundAlready(node, as: old, found) {
                removeAndReport(node)
                return true
            }
            replaced = (tree[old].kind, tree[old].firstChild != 0)
            remove(old)
        }
        tree.write(pathOf: node, to: &confined.path)
        let previous = FilePath(terminated: confined.path)
        let origin = tree[node].parent
        if isFolder, !confined.failures.isEmpty {
            tree.forEach(below: node) { if tree[$0].isFolder { forgetFailure(of: $0) } }
        }
        tree.move(node, to: folder, name)
        if let found, isSame(node, found) {
            // Otherwise its facts are kept: events for writes may follow, or be lost.
            if tree[node].inode == 0 { tree.update(node, found) }
        } else {
            // The old or the new name was examined when a later entry had it.
            if isFolder {
                confined.doubtful.insert(folder)
            } else {
                tree[node].inode = 0
                confined.unfound.append(node)
            }
        }
        if isFolder { doubt(below: node) }
        report(
            .renamed, node, from: previous, isWhole: isFolder || replaced?.isFull == true,
            replaced: replaced?.kind)
        if isFolder, confined.rules.mayDiffer(origin, folder, tree) {
            push(node, .repair)
        } else if tree[node].lacksWatch {
            push(node, [])
        }
        return true
    }

    /// Whether a scan has already found the renamed entry at its new path. One that departs from
    /// there was only examined when the renamed entry had its name.
    private func isFoundAlready(
        _ node: NodeNumber, as old: NodeNumber, _ found: FolderEntryFacts?
    ) -> Bool {
        guard tree[old].inode == tree[node].inode, tree[old].inode != 0,
            !tree[old].flags.contains(.departing)
        else { return false }
        guard let found else { return tree[old].kind == tree[node].kind }
        return found.inode == tree[old].inode && found.kind == tree[old].kind
    }

    /// Whether the renamed entry is what was found at its new name. After an earlier renaming, its
    /// inode may be in doubt: then its size and time must match, if they were ever read.
    private func isSame(_ node: NodeNumber, _ found: FolderEntryFacts) -> Bool {
        let known = tree[node]
        if known.inode != 0 { return known.inode == found.inode }
        return known.modifiedNanoseconds == 0
            || known.size == found.size && known.modifiedNanoseconds == found.modifiedNanoseconds
    }

    /// Whether the node describes a different entry: the one that had the name when it was scanned.
    private func isOther(_ node: NodeNumber, _ found: FolderEntryFacts) -> Bool {
        let known = tree[node]
        if known.kind != found.kind { return true }
        return known.kind == .directory && known.inode != found.inode && known.inode != 0
    }
}
