internal import LinuxPlatform
internal import RingDispatch
internal import SystemPackage

/// What the kernel tells of a folder's entries.
extension WatchEngine {
    func handle(_ event: InotifyEvent, of folder: NodeNumber, _ name: UnsafeRawBufferPointer) {
        // The place of a node that is gone may have been given to another.
        guard tree.watch(of: folder) == event.watch else { return }
        guard event.isOfEntry else { return handle(event, ofFolder: folder) }
        let isDirectory = event.mask.contains(.isDirectory)
        if rules.ignores(name, isDirectory, in: folder, tree) { return ignore(event) }
        let mask = event.mask
        if mask.contains(.created) {
            appear(name, in: folder, isDirectory)
        } else if mask.contains(.movedTo) {
            guard isPossible(event.cookie, folder, name) else { return startOver() }
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
        lastArrived = mask.contains(.movedTo) ? tree.child(of: folder, name) ?? 0 : 0
        if rules.areRead(from: name) { reloadRules(of: folder) }
    }

    /// What happened to the folder itself; its parent's events tell most of it.
    private func handle(_ event: InotifyEvent, ofFolder folder: NodeNumber) {
        if event.mask.contains(.ended) {
            tree.setWatch(of: folder, to: nil)
            // Something else may be there instead: a file system was unmounted.
            push(folder, .repair)
        }
        if let index = roots.firstIndex(where: { $0.node == folder && $0.anchorWatch == nil }),
            !event.mask.isDisjoint(with: [.selfDeleted, .selfMoved, .ended])
        {
            attach(index, isFirst: false)
        }
    }

    /// A renaming ends where nothing is watched.
    private func ignore(_ event: InotifyEvent) {
        guard event.mask.contains(.movedTo), let node = takeDeparture(event.cookie) else {
            return
        }
        removeAndReport(node)
    }

    private func isAmbiguous(_ folder: NodeNumber) -> Bool {
        isRepairing || tree[folder].flags.contains(.fresh)
    }

    private func facts(
        _ name: UnsafeRawBufferPointer, in folder: NodeNumber
    ) -> (FolderEntryFacts, isLink: Bool)? {
        tree.write(pathOf: folder, name, to: &path)
        return factsAtPath(in: folder)
    }

    /// Of `path`, which is that of an entry of the folder.
    private func factsAtPath(in folder: NodeNumber) -> (FolderEntryFacts, isLink: Bool)? {
        lookedUp.insert(folder)
        guard let facts = FolderEntryFacts(path: path, followsLinks: false) else { return nil }
        return followed(facts, in: folder) { FolderEntryFacts(path: path, followsLinks: true) }
    }

    /// Of what an event is about: by now the name may be another's, of which an event will tell.
    private func facts(
        _ name: UnsafeRawBufferPointer, in folder: NodeNumber, _ isDirectory: Bool
    ) -> (FolderEntryFacts, isLink: Bool)? {
        guard let found = facts(name, in: folder),
            found.isLink || (found.0.kind == .directory) == isDirectory
        else { return nil }
        return found
    }

    /// Brings what is known up to date with a look. Its kind may have been guessed.
    private func update(_ node: NodeNumber, _ facts: FolderEntryFacts) {
        let known = tree[node]
        guard (known.kind == .directory) == (facts.kind == .directory) else { return }
        if known.kind != facts.kind { tree.setKind(of: node, to: facts.kind) }
        tree.update(node, facts)
    }

    // MARK: coming and going

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
            // It is gone again: an event tells.
            guard let (facts, _) = found else { return }
            if facts.inode == tree[known].inode && facts.kind == tree[known].kind {
                if tree.isWithoutWatch(known) { push(known, []) }
                let isChanged = !isAmbiguous(folder) && tree.differs(known, from: facts)
                tree.update(known, facts)
                return isChanged ? report(.modified, known) : ()
            }
            if facts.kind == tree[known].kind && facts.kind != .directory {
                tree.update(known, facts)
                return report(.modified, known)
            }
            removeAndReport(known)
        }
        let kind: FolderEntryFacts.Kind = isDirectory ? .directory : .file
        let (facts, isLink) =
            found
            ?? (FolderEntryFacts(kind: kind, inode: 0, size: 0, modifiedNanoseconds: 0), false)
        if found == nil { doubtful.insert(folder) }
        let node = tree.insert(name, in: folder, facts, isLink ? .link : [])
        report(.created, node, isDiscovered: isDiscovered)
        if facts.kind == .directory { push(node, []) }
    }

    private func disappear(_ name: UnsafeRawBufferPointer, in folder: NodeNumber) {
        guard let node = tree.child(of: folder, name) else { return }
        if tree[node].flags.contains(.departing) { return removeAndReport(node) }
        if isAmbiguous(folder), isStale(node, name, in: folder, isExact: true) { return }
        removeAndReport(node)
    }

    /// While a folder's renaming was not known yet, its entries were looked up by its old path.
    private func doubt(below folder: NodeNumber) {
        for other in lookedUp where tree.isBelow(other, folder) { doubtful.insert(other) }
    }

    /// What is said to have gone is there: a look found what came afterwards.
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
        if tree[node].kind == .directory {
            // It may be readable now.
            if tree.watch(of: node) == nil { push(node, []) }
        } else {
            touched = node
            // It was guessed what kind of file it is.
            if tree[node].inode == 0 { examineTouched() }
        }
        report(action, node)
    }

    /// Looks a file's size and time up of which was told that they changed. Before anything else is
    /// done with the tree.
    func examineTouched() {
        guard touched != 0 else { return }
        let node = touched
        touched = 0
        tree.write(pathOf: node, to: &path)
        if let (facts, _) = factsAtPath(in: tree[node].parent) { update(node, facts) }
    }

    // MARK: renaming

    /// How long the other end of a renaming is waited for. The kernel tells it right afterwards: it
    /// is among the next events, if there are any.
    private static let departureMilliseconds = 10
    private static let eventsBetweenEnds = 64

    /// Whether the other end of a renaming is among the next events; nil: there are none.
    private func isArriving(_ cookie: UInt32) -> Bool? {
        var rest = WatchEngine.eventsBetweenEnds
        var isEmpty = true
        var start = position.event
        for batch in upcoming[position.batch...] {
            for routed in batch.events[min(start, batch.events.count)...].prefix(rest) {
                if routed.event.cookie == cookie, routed.event.mask.contains(.movedTo) {
                    return true
                }
                isEmpty = false
                rest -= 1
            }
            start = 0
        }
        return isEmpty ? nil : false
    }

    /// Before events are handled: what has departed and does not arrive with them has gone for
    /// good.
    func settleOverdue() {
        position = (0, 0)
        while let index = departures.firstIndex(where: { isArriving($0.cookie) == false }) {
            let node = departures.remove(at: index).node
            tree[node].flags.remove(.departing)
            removeAndReport(node)
        }
    }

    private func depart(
        _ name: UnsafeRawBufferPointer, in folder: NodeNumber, _ cookie: UInt32
    ) {
        guard let node = tree.child(of: folder, name) else { return }
        if tree[node].flags.contains(.departing) { return removeAndReport(node) }
        // When two exchange their names (renameat2), what has come is told right before what has
        // gone from there.
        if isAmbiguous(folder) || node == lastArrived,
            isStale(node, name, in: folder, isExact: false)
        {
            return
        }
        if isArriving(cookie) == false { return removeAndReport(node) }
        tree[node].flags.insert(.departing)
        let time = MonotonicClock.nanoseconds()
        departures.append(Departure(cookie: cookie, node: node, timeNanoseconds: time))
        guard departures.count == 1 else { return }
        awaitArrivals()
    }

    /// However long the reader takes: the other end is given up only when the kernel has reported
    /// all of the time since.
    private func awaitArrivals() {
        let wait = DispatchTimeInterval.milliseconds(WatchEngine.departureMilliseconds)
        queue.asyncAfter(deadline: .now() + wait) { [self] in
            guard phase != .cancelled, !departures.isEmpty else { return }
            askForEmptiness()
            awaitArrivals()
        }
    }

    /// The kernel has told all that happened before `time`.
    func settleDepartures(before time: UInt64) {
        let wait = UInt64(WatchEngine.departureMilliseconds) * 1_000_000
        while let oldest = departures.first, oldest.timeNanoseconds + wait <= time {
            departures.removeFirst()
            tree[oldest.node].flags.remove(.departing)
            removeAndReport(oldest.node)
        }
    }

    private func takeDeparture(_ cookie: UInt32) -> NodeNumber? {
        guard let index = departures.firstIndex(where: { $0.cookie == cookie }) else { return nil }
        let node = departures.remove(at: index).node
        tree[node].flags.remove(.departing)
        return node
    }

    /// What has departed from below a node that goes itself has gone for good.
    func settleDepartures(below node: NodeNumber) {
        departures.removeAll { $0.node == node }
        while let index = departures.firstIndex(where: { tree.isBelow($0.node, node) }) {
            let departed = departures.remove(at: index).node
            tree[departed].flags.remove(.departing)
            removeAndReport(departed)
        }
    }

    /// Whether a renaming fits the tree as it is known. A look may have found what happened later,
    /// so that a folder would come to be within itself.
    private func isPossible(
        _ cookie: UInt32, _ folder: NodeNumber, _ name: UnsafeRawBufferPointer
    ) -> Bool {
        guard let node = departures.first(where: { $0.cookie == cookie })?.node else { return true }
        if tree.isBelow(folder, node) { return false }
        guard let old = tree.child(of: folder, name), old != node else { return true }
        return !tree.isBelow(node, old)
    }

    /// Compares all that is known with the disk.
    private func startOver() {
        for departure in departures { tree[departure.node].flags.remove(.departing) }
        departures.removeAll()
        isRepairing = true
        for root in roots where root.node != 0 && tree[root.node].kind == .directory {
            push(root.node, .repair)
        }
    }

    /// The other end of a renaming; false: it came from outside, or what is known of it is wrong.
    private func arrive(
        _ name: UnsafeRawBufferPointer, in folder: NodeNumber, _ cookie: UInt32
    ) -> Bool {
        guard let node = takeDeparture(cookie) else { return false }
        let isFolder = tree[node].kind == .directory
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
            settleDepartures(below: old)
            remove(old)
        }
        tree.write(pathOf: node, to: &path)
        let previous = FilePath(terminated: path)
        tree.move(node, to: folder, name)
        if let found { tree.update(node, found) } else { doubtful.insert(folder) }
        if isFolder { doubt(below: node) }
        report(
            .renamed, node, from: previous, isWhole: isFolder || replaced?.isFull == true,
            replaced: replaced?.kind)
        if tree.isWithoutWatch(node) { push(node, []) }
        return true
    }

    /// Whether a look has found a renamed object already where it is now.
    private func isFoundAlready(
        _ node: NodeNumber, as old: NodeNumber, _ found: FolderEntryFacts?
    ) -> Bool {
        guard tree[old].inode == tree[node].inode, tree[old].inode != 0 else { return false }
        guard let found else { return tree[old].kind == tree[node].kind }
        return found.inode == tree[old].inode && found.kind == tree[old].kind
    }

    /// What is known of an object is another's: when its name was looked at, it had that name no
    /// more.
    private func isOther(_ node: NodeNumber, _ found: FolderEntryFacts) -> Bool {
        let known = tree[node]
        if known.kind != found.kind { return true }
        return known.kind == .directory && known.inode != found.inode && known.inode != 0
    }

    // MARK: rules

    /// The file with the folder's rules has changed: what they let in is found, what they keep out
    /// is removed.
    private func reloadRules(of folder: NodeNumber) {
        rules.forget(folder)
        push(folder, .repair)
    }
}
