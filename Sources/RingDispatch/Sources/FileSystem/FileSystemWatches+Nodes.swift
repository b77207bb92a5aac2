internal import LinuxPlatform

/// Which files the kernel watches, for which sources. Under the lock.
extension FileSystemWatches {
    func isCurrent(_ node: FileSystemNode) -> Bool { nodes[node.watch] === node }

    private func watch(
        _ place: FilePlace, for mask: InotifyMask, isAdding: Bool = true
    ) throws(SystemError) -> Int32 {
        guard let reader else { throw SystemError(call: "watch", code: ErrorCode.cancelled) }
        return try reader.inotify.watch(place, for: mask, isAdding: isAdding)
    }

    /// - Returns: an error that limits the reported events, although the source watches.
    func add(_ source: FileSystemSource) throws(FileSystemWatchError) -> FileSystemWatchError? {
        let descriptor = source.descriptor
        // Before the watch: a change in between is reported twice rather than not at all.
        guard let status = FileStatus(of: descriptor) else {
            throw FileSystemWatchError(closed: descriptor)
        }
        // readlink fails without /proc, where the watch fails, too, and for a path too long.
        let name = Descriptors.name(of: descriptor) ?? "/"
        // The names of objects that are in no file system are not paths.
        guard name.hasPrefix("/"), status.linkCount > 0 || !name.hasPrefix("/memfd:") else {
            throw FileSystemWatchError(notWatchable: name, descriptor: descriptor)
        }
        let node = try join(source, name, status)
        guard node.needsParent, node.parent == nil else { return nil }
        do throws(SystemError) {
            try followParent(of: node)
        } catch {
            let error = FileSystemWatchError(watching: name + "/..", error)
            // All events except the removal can be reported.
            if error.reason == .accessDenied { return error }
            remove(source)
            throw error
        }
        // The directory was removed before its parent was watched.
        if let now = FileStatus(of: descriptor), now.linkCount == 0, status.linkCount > 0 {
            node.attributes = KnownStatus(status: now)
            _ = source.merge(.delete)
        }
        return nil
    }

    private func join(
        _ source: FileSystemSource, _ name: String, _ status: FileStatus
    ) throws(FileSystemWatchError) -> FileSystemNode {
        let mask = source.mask.inotifyMask(ofDirectory: status.isDirectory)
        let number: Int32
        do throws(SystemError) {
            number = try watch(.object(descriptor: source.descriptor), for: mask)
        } catch {
            throw FileSystemWatchError(watching: name, error)
        }
        let node = entry(number, isDirectory: status.isDirectory)
        node.asked.formUnion(mask)
        if source.mask.contains(.rename), node.name == nil { node.name = name }
        node.add(source, status)
        return node
    }

    func remove(_ source: FileSystemSource) {
        guard let node = source.node else { return }
        node.remove(source)
        tidy(node)
    }

    private func entry(_ number: Int32, isDirectory: Bool) -> FileSystemNode {
        if let node = nodes[number] { return node }
        let node = FileSystemNode(watch: number, isDirectory: isDirectory)
        nodes[number] = node
        return node
    }

    /// Reduces the kernel's mask to the needed events, and removes a watch that nothing needs.
    private func tidy(_ node: FileSystemNode) {
        if !node.needsParent { leaveParent(of: node) }
        guard isCurrent(node) else { return }
        if node.isUnused {
            nodes[node.watch] = nil
            reader?.inotify.unwatch(node.watch)
        } else if let source = node.sources.first, node.asked != node.wanted {
            // After a failure, superfluous events arrive.
            let wanted = node.wanted
            let place = FilePlace.object(descriptor: source.descriptor)
            if let number = try? watch(place, for: wanted, isAdding: false), number == node.watch {
                node.asked = wanted
            }
        }
    }

    /// Watches the parent directory of a directory, which shows the directory's removal.
    func followParent(of node: FileSystemNode) throws(SystemError) {
        guard let source = node.sources.first else { return }
        let number = try watch(.parent(ofDirectory: source.descriptor), for: .deleted)
        let parent = entry(number, isDirectory: true)
        parent.asked.insert(.deleted)
        guard parent !== node.parent else { return }
        leaveParent(of: node)
        // The root directory is its own parent, and cannot be removed.
        guard parent !== node else { return }
        node.parent = parent
        parent.children[ObjectIdentifier(node)] = node
    }

    private func leaveParent(of node: FileSystemNode) {
        guard let parent = node.parent else { return }
        node.parent = nil
        parent.children[ObjectIdentifier(node)] = nil
        tidy(parent)
    }

    /// Restores the watch of a file, which the kernel may have ended after the last name went. If
    /// it has not, nothing changes. Sources that hold the file open receive its further events.
    func watchAgain(_ node: FileSystemNode) throws(SystemError) {
        guard let source = node.sources.first, let status = node.attributes?.status else {
            dissolve(node)
            return
        }
        let mask = node.mask.inotifyMask(ofDirectory: node.isDirectory)
        let number = try watch(.object(descriptor: source.descriptor), for: mask)
        guard number != node.watch else { return }
        nodes[node.watch] = nil
        if let other = nodes[number] {
            // A source that was added meanwhile watches the file again.
            for source in node.removeSources() { other.add(source, status) }
            other.asked.formUnion(mask)
            dissolve(node)
        } else {
            node.watch = number
            node.asked = mask
            nodes[number] = node
        }
    }

    /// Removes a file that reports no more events. Returns its former sources.
    @discardableResult
    func dissolve(_ node: FileSystemNode) -> [FileSystemSource] {
        if isCurrent(node) { nodes[node.watch] = nil }
        leaveParent(of: node)
        for child in node.children.values { child.parent = nil }
        node.children = [:]
        return node.removeSources()
    }
}
