internal import Ring
internal import RingDispatch
internal import SystemPackage

/// Looks at folders: watches first, then compares what is there with what is known.
extension WatchEngine {
    func look(at folder: NodeNumber) {
        let flags = tree[folder].flags
        guard flags.contains(.pending) else { return }
        tree[folder].flags.subtract([.pending, .quiet, .repair])
        tree.write(pathOf: folder, to: &path)
        let followsLink = flags.contains(.link) || tree[folder].parent == 0
        do throws(KernelError) {
            try reader.open(path: path, followsLink: followsLink)
        } catch {
            if WatchEngine.isAbsence(error) { return miss(folder, flags) }
            return fail(error, FilePath(terminated: path))
        }
        defer { reader.close() }
        var isOther = false
        if let facts = FolderEntryFacts(descriptor: reader.descriptor) {
            isOther = tree[folder].inode != 0 && tree[folder].inode != facts.inode
            tree[folder].inode = facts.inode
        }
        watch(folder)
        if !flags.contains(.fresh) {
            tree[folder].flags.insert(.fresh)
            fresh.append(folder)
        }
        rules.read(in: reader.descriptor, of: folder)
        let wasEmpty = tree[folder].firstChild == 0
        let isQuiet = flags.contains(.quiet)
        let isRepair = flags.contains(.repair) || isOther
        do throws(KernelError) {
            try reader.forEach { name, kind, inode in
                let found = Found(name: name, kind: kind, inode: inode)
                meet(found, in: folder, isQuiet: isQuiet, isRepair: isRepair, isNew: wasEmpty)
            }
            if !wasEmpty { removeUnseen(in: folder) }
        } catch {
            // The folder was removed while it was open.
            if WatchEngine.isAbsence(error) { return miss(folder, flags) }
            tree.write(pathOf: folder, to: &path)
            fail(error, FilePath(terminated: path))
        }
        lastLookNanoseconds = MonotonicClock.nanoseconds()
    }

    private func watch(_ folder: NodeNumber) {
        do throws(KernelError) {
            let watch = try hub.watch(reader.descriptor, for: subscription(folder))
            let old = tree.watch(of: folder)
            if let old, old != watch { hub.unwatch(old, for: subscription(folder)) }
            tree.setWatch(of: folder, to: watch)
        } catch {
            tree.write(pathOf: folder, to: &path)
            // The folder is open: what is missing is the way to it.
            if error.code == ErrorCode.noEntry {
                guard !hasToldProc else { return }
                hasToldProc = true
                return tell(FileWatchError(withoutProc: FilePath(terminated: path)))
            }
            fail(error, FilePath(terminated: path))
        }
    }

    func subscription(_ folder: NodeNumber) -> Subscription {
        Subscription(engine: number, target: .node(folder))
    }

    /// It went, was renamed or was replaced: an event tells.
    private static func isAbsence(_ error: KernelError) -> Bool {
        [ErrorCode.noEntry, ErrorCode.notDirectory, ErrorCode.tooManyLinks].contains(error.code)
    }

    private func miss(_ folder: NodeNumber, _ flags: NodeFlags) {
        if let index = roots.firstIndex(where: { $0.node == folder }) {
            return attach(index, isFirst: false)
        }
        missed.append((folder, flags.intersection([.quiet, .repair])))
        lastLookNanoseconds = MonotonicClock.nanoseconds()
    }

    private func fail(_ error: KernelError, _ path: FilePath) {
        switch error.code {
        case ErrorCode.noSpace:
            guard !hasToldWatchLimit else { return }
            hasToldWatchLimit = true
            tell(FileWatchError(watching: path, error))
        default: tell(FileWatchError(watching: path, error))
        }
    }

    /// An entry of a folder that is being looked at.
    private struct Found {
        var name: UnsafeRawBufferPointer
        var kind: FolderEntryFacts.Kind?
        var inode: UInt64

        var terminatedName: [UInt8] { Array(name) + [0] }
    }

    private func meet(
        _ found: Found, in folder: NodeNumber, isQuiet: Bool, isRepair: Bool, isNew: Bool
    ) {
        let known = isNew ? nil : tree.child(of: folder, found.name)
        if let known, tree[known].flags.contains(.departing) { return }
        if let kind = found.kind, kind != .symlink || !options.followsSymlinks,
            rules.ignores(found.name, kind == .directory, in: folder, tree)
        {
            return
        }
        guard let (facts, isLink) = facts(of: found, in: folder) else { return }
        guard !rules.ignores(found.name, facts.kind == .directory, in: folder, tree) else { return }
        if let known {
            if tree[known].kind == facts.kind
                && (facts.kind != .directory || tree[known].inode == facts.inode)
            {
                tree[known].flags.insert(.seen)
                if facts.kind == .directory {
                    if isRepair || tree.isWithoutWatch(known) {
                        push(known, isRepair ? .repair : [])
                    }
                } else if tree.differs(known, from: facts) {
                    tree.update(known, facts)
                    report(.modified, known, isDiscovered: true)
                }
                return
            }
            removeAndReport(known, isDiscovered: true)
        }
        let node = tree.insert(found.name, in: folder, facts, isLink ? [.link, .seen] : .seen)
        if !isQuiet { report(.created, node, isDiscovered: true) }
        if facts.kind == .directory { push(node, isQuiet ? .quiet : []) }
        if isNew { tree[node].flags.remove(.seen) }
    }

    /// - Returns: and whether it is what a link leads to.
    private func facts(
        of found: Found, in folder: NodeNumber
    ) -> (FolderEntryFacts, isLink: Bool)? {
        if found.kind == .directory {
            return (
                FolderEntryFacts(
                    kind: .directory, inode: found.inode, size: 0, modifiedNanoseconds: 0), false
            )
        }
        let name = found.terminatedName
        let descriptor = reader.descriptor
        guard let facts = FolderEntryFacts(path: name, in: descriptor, followsLinks: false) else {
            return nil
        }
        return followed(facts, in: folder) {
            FolderEntryFacts(path: name, in: descriptor, followsLinks: true)
        }
    }

    /// Looks through a symbolic link that leads to a folder, where that is asked for, and where the
    /// folder is not one that the link is in.
    func followed(
        _ facts: FolderEntryFacts, in folder: NodeNumber, _ look: () -> FolderEntryFacts?
    ) -> (FolderEntryFacts, isLink: Bool) {
        guard options.followsSymlinks, facts.kind == .symlink, let target = look(),
            target.kind == .directory
        else { return (facts, false) }
        var ancestor = folder
        while ancestor != 0 {
            if tree[ancestor].inode == target.inode { return (facts, false) }
            ancestor = tree[ancestor].parent
        }
        return (target, true)
    }

    private func removeUnseen(in folder: NodeNumber) {
        var child = tree[folder].firstChild
        while child != 0 {
            let next = tree[child].next
            let flags = tree[child].flags
            tree[child].flags.remove(.seen)
            if !flags.contains(.seen), !flags.contains(.departing) { lose(child, in: folder) }
            child = next
        }
    }

    /// What a look has not found. Of what is ignored from now on nothing is told.
    private func lose(_ node: NodeNumber, in folder: NodeNumber) {
        let name = tree.names.withName(of: tree[node]) { Array($0) }
        let isIgnored = name.withUnsafeBytes {
            rules.ignores($0, tree[node].kind == .directory, in: folder, tree)
        }
        if isIgnored { remove(node) } else { removeAndReport(node, isDiscovered: true) }
    }

    // MARK: removing

    func removeAndReport(_ node: NodeNumber, isDiscovered: Bool = false) {
        settleDepartures(below: node)
        report(
            .removed, node, isDiscovered: isDiscovered, isWhole: tree[node].firstChild != 0)
        remove(node)
    }

    /// Forgets a node with all below it, and ends the watches.
    func remove(_ node: NodeNumber) {
        tree.remove(node) { folder, watch in
            hub.unwatch(watch, for: subscription(folder))
            rules.forget(folder)
        }
    }

    /// Ends the watches of all below a node.
    func release(_ node: NodeNumber) {
        tree.forEach(below: node) { folder in
            guard let watch = tree.watch(of: folder) else { return }
            hub.unwatch(watch, for: subscription(folder))
        }
    }

    // MARK: repairing

    /// Changes were lost: compares all that is known with the disk.
    func repair() {
        counts.overflows += 1
        counts.rescans += 1
        for departure in departures { tree[departure.node].flags.remove(.departing) }
        departures.removeAll()
        isRepairing = true
        tellOverflow()
        for index in roots.indices {
            let node = roots[index].node
            attach(index, isFirst: false)
            if node != 0, roots[index].node == node, tree[node].kind == .directory {
                push(node, .repair)
            }
        }
    }

    private func tellOverflow() {
        guard let first = roots.first else { return }
        for (action, roots) in [(FileChange.Action.overflow, [first]), (.rescan, roots)] {
            for root in roots {
                let kind = root.node == 0 ? .directory : FileChange.Kind(tree[root.node].kind)
                counts.changes += 1
                reporter.add(
                    FileChange(
                        sequence: 0,
                        timeNanoseconds: Int64(MonotonicClock.realtimeNanoseconds()),
                        action: action, path: root.path, kind: kind),
                    isWhole: true, window: options.window)
            }
        }
        tell(FileWatchError(queueOverflowOf: first.path))
    }
}
