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
            remove(.root(index), of: watch)
        }
        if let watch = confined.roots[index].fileWatch {
            remove(.root(index), of: watch)
        }
        confined.roots[index].anchors = [:]
        confined.roots[index].parentWatch = nil
        confined.roots[index].fileWatch = nil
    }

    /// From the top down: if a folder on the way is created meanwhile, the watch above reports it.
    private func anchor(_ index: Int) {
        var way: [(folder: FilePath, name: [UInt8])] = []
        while let next = WatchRoot.parent(of: way.last?.folder ?? confined.roots[index].path) {
            way.append(next)
        }
        var failure: (error: SystemError, folder: FilePath)?
        for (folder, name) in way.reversed() {
            let isParent = folder == way[0].folder
            do throws(SystemError) {
                let watch = try addWatch(folder, isParent ? .ofRoots : .ofNames, of: index)
                if isParent { confined.roots[index].parentWatch = watch }
                // If a link leads back to a folder, the name nearest to the root counts.
                confined.roots[index].anchors[watch] = name
                failure = nil
            } catch {
                if [ErrorCode.noEntry, ErrorCode.notDirectory].contains(error.code) { break }
                failure = (error, folder)
            }
        }
        // The nearest existing folder suffices.
        if let failure { fail(failure.error, failure.folder) }
        watchFile(index)
    }

    /// Watches a root that is a file, which a link may lead to. After its folders: if it is created
    /// meanwhile, an event follows.
    private func watchFile(_ index: Int) {
        let root = confined.roots[index].path
        guard let facts = try? FolderEntryFacts(path: root.terminatedBytes, followsLinks: true),
            facts.kind != .directory
        else { return }
        do throws(SystemError) {
            confined.roots[index].fileWatch = try addWatch(root, .ofFile, of: index)
        } catch {
            if !error.isAbsence { fail(error, root) }
        }
    }

    private func addWatch(
        _ path: FilePath, _ mask: InotifyMask, of index: Int
    ) throws(SystemError) -> Int32 {
        let place = FilePlace.path(path.terminatedBytes, followsLink: true)
        let watch = try reader.inotify.watch(place, for: mask, isAdding: true)
        note(.root(index), of: watch)
        return watch
    }

    /// Compares the root with the disk.
    func examine(_ index: Int, isFirst: Bool = false) {
        let root = confined.roots[index]
        let path = root.path.terminatedBytes
        var facts: FolderEntryFacts?
        do throws(SystemError) {
            facts = try FolderEntryFacts(path: path, followsLinks: true)
        } catch {
            if root.node != 0, !error.isAbsence { return fail(error, root.path) }
        }
        if root.node != 0 {
            if facts != nil, root.fileWatch != nil { confined.failures[root.path] = nil }
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
        confined.failures[confined.roots[index].path] = nil
    }

    // MARK: events

    /// - Parameter event: if it is of an entry, of the one that leads to the root; see `take`.
    func handle(_ event: InotifyEvent, ofRoot index: Int) {
        let root = confined.roots[index]
        let mask = event.mask
        let isOfFile = root.anchors[event.watch] == nil
        guard !isOfFile || event.watch == root.fileWatch else { return }
        guard event.isOfEntry else {
            if !mask.isDisjoint(with: [.selfDeleted, .selfMoved, .ended]) {
                attach(index, isFirst: false)
            } else if isOfFile {
                touchFile(index, mask.contains(.modified) ? .modified : .attributes)
            }
            return
        }
        guard root.parentWatch == event.watch, mask.isDisjoint(with: [.created, .movedTo]) else {
            return attach(index, isFirst: false)
        }
        if !mask.isDisjoint(with: [.deleted, .movedFrom]) {
            if root.isFresh || confined.isRepairing { return examine(index) }
            removeRoot(index)
        } else if tree[root.node].isFolder {
            // The folder may have become readable.
            if tree[root.node].lacksWatch { push(root.node, []) }
            report(.attributes, root.node)
        } else if root.node != 0, root.fileWatch == nil {
            // The file may have become readable.
            attach(index, isFirst: false)
        }
    }

    private func touchFile(_ index: Int, _ action: FileChange.Action) {
        let root = confined.roots[index]
        let node = root.node
        guard node != 0 else { return }
        let facts: FolderEntryFacts
        do throws(SystemError) {
            facts = try FolderEntryFacts(path: root.path.terminatedBytes, followsLinks: true)
        } catch {
            // If a link leads to the file, or it has other names, no event reports its removal.
            if error.isAbsence { attach(index, isFirst: false) }
            return
        }
        // A link on the way may lead to another file by now.
        guard facts.kind == tree[node].kind, facts.inode == tree[node].inode else {
            return attach(index, isFirst: false)
        }
        // The next poll must not take new attributes for a write.
        let isExamined = action == .modified || root.isPolled && facts.size == tree[node].size
        if isExamined { tree.update(node, facts) }
        // The flag also makes a snapshot examine the file's other names.
        if !isExamined || facts.hasOtherNames { tree[node].flags.insert(.unexamined) }
        report(action, node)
    }
}
