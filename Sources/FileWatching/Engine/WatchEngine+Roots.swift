internal import LinuxPlatform
internal import RingDispatch
internal import SystemPackage

/// Finds roots that are removed and created: watches a root's parent for the root's name and, while
/// the parent does not exist, the nearest existing ancestor.
extension WatchEngine {
    /// Watches the way to a root, then examines its path.
    func attach(_ index: Int, isFirst: Bool) {
        detach(index)
        anchor(index)
        confined.roots[index].isFresh = true
        confined.lastScanNanoseconds = MonotonicClock.nanoseconds()
        examine(index, isFirst: isFirst)
    }

    func detach(_ index: Int) {
        for watch in confined.roots[index].anchors.keys {
            watches.unwatch(watch, for: anchorSubscription(index))
        }
        confined.roots[index].anchors = [:]
        confined.roots[index].parentWatch = nil
    }

    private func anchorSubscription(_ index: Int) -> InotifySubscription {
        InotifySubscription(subscriber: number, target: .anchor(UInt32(index)))
    }

    private func anchor(_ index: Int) {
        let root = confined.roots[index].path
        let facts = FolderEntryFacts(path: root.terminatedBytes, followsLinks: true)
        confined.roots[index].includesWrites = facts.map { $0.kind != .directory } ?? false
        let mask: InotifyMask = confined.roots[index].includesWrites ? .ofFolder : .ofRoots
        var path = root
        while let (folder, name) = WatchRoot.parent(of: path) {
            let isNearest = confined.roots[index].anchors.isEmpty
            do throws(SystemError) {
                let watch = try watches.watch(
                    .path(folder.terminatedBytes, followsLink: true),
                    isNearest ? mask : .ofNames, for: anchorSubscription(index))
                if path == root { confined.roots[index].parentWatch = watch }
                // A link may lead back to a folder that is nearer to the root.
                if confined.roots[index].anchors[watch] == nil {
                    confined.roots[index].anchors[watch] = name
                }
            } catch {
                let isAbsent = [ErrorCode.noEntry, ErrorCode.notDirectory].contains(error.code)
                // A file is watched through its folder only.
                let isFile = confined.roots[index].includesWrites
                if isNearest, !isAbsent { fail(error, isFile ? root : folder) }
            }
            path = folder
        }
    }

    /// Compares the root with the disk.
    func examine(_ index: Int, isFirst: Bool = false) {
        let root = confined.roots[index]
        let path = root.path.terminatedBytes
        var facts: FolderEntryFacts?
        do throws(SystemError) {
            facts = try FolderEntryFacts(examining: path, followsLinks: true)
        } catch {
            if root.node != 0, !error.isAbsence { return fail(error, root.path) }
        }
        if root.node != 0 {
            if let facts, facts.kind != .directory { confined.failures[root.path] = nil }
            let isSame = tree[root.node].inode == facts?.inode
            if let facts, tree[root.node].kind == facts.kind, isSame || facts.kind != .directory {
                guard tree.differs(root.node, from: facts) else { return }
                tree.update(root.node, facts)
                return report(.modified, root.node, isDiscovered: isSame)
            }
            removeRoot(index)
        }
        guard let facts else { return }
        let node = path.dropLast().withUnsafeBytes { tree.insert($0, in: 0, facts) }
        confined.roots[index].node = node
        let isQuiet = isFirst && !options.reportsExisting
        if !isQuiet { report(.created, node, isDiscovered: isFirst) }
        if facts.kind == .directory { push(node, isQuiet ? .quiet : []) }
    }

    private func removeRoot(_ index: Int) {
        let node = confined.roots[index].node
        guard node != 0 else { return }
        removeAndReport(node)
        confined.roots[index].node = 0
    }

    // MARK: events

    func handle(_ event: InotifyEvent, ofAnchor index: Int, _ name: UnsafeRawBufferPointer) {
        guard let expected = confined.roots[index].anchors[event.watch] else { return }
        guard event.isOfEntry else {
            if !event.mask.isDisjoint(with: [.selfDeleted, .selfMoved, .ended]) {
                attach(index, isFirst: false)
            }
            return
        }
        guard name.elementsEqual(expected) else { return }
        let root = confined.roots[index]
        guard root.parentWatch == event.watch else { return attach(index, isFirst: false) }
        let mask = event.mask
        if !mask.isDisjoint(with: [.created, .movedTo]) {
            // It may be a file: then the anchor's watch must include writes.
            if root.includesWrites {
                examine(index)
            } else {
                attach(index, isFirst: false)
            }
        } else if !mask.isDisjoint(with: [.deleted, .movedFrom]) {
            if root.isFresh || confined.isRepairing { return examine(index) }
            removeRoot(index)
        } else if root.node != 0 {
            touchRoot(index, mask.contains(.modified) ? .modified : .attributes)
        }
    }

    private func touchRoot(_ index: Int, _ action: FileChange.Action) {
        let node = confined.roots[index].node
        let path = confined.roots[index].path.terminatedBytes
        if tree[node].isFolder {
            // The folder may have become readable.
            if tree[node].lacksWatch { push(node, []) }
        } else if let facts = FolderEntryFacts(path: path, followsLinks: true),
            facts.kind == tree[node].kind
        {
            tree.update(node, facts)
        }
        report(action, node)
    }
}
