internal import LinuxPlatform

/// Handles what the kernel has reported. `FileSystemEvent+Inotify` says what it means. Under the
/// lock.
extension FileSystemWatches {
    typealias Event = DispatchSource.FileSystemEvent

    /// Processes the events that were read. Each file is checked once, however many events it has.
    /// Returns whether events were lost.
    func takeEvents(_ events: InotifyEventBuffer) -> Bool {
        var hasOverflowed = false
        var touched: [FileSystemNode] = []
        events.forEach { event, _ in
            if event.mask.contains(.overflowed) { hasOverflowed = true }
            // A watch that was removed meanwhile has no file.
            guard let node = nodes[event.watch] else { return }
            let wasUntouched = node.summary.isEmpty
            node.summary.note(event)
            if event.isOfEntry, event.mask.contains(.isDirectory), node.mask.contains(.link) {
                node.moves.note(event)
            }
            if wasUntouched && !node.summary.isEmpty { touched.append(node) }
        }
        for node in touched {
            let summary = node.summary
            node.summary = InotifyEventSummary()
            settle(node, summary)
            if summary.mask.contains(.ended) { ended(node, summary) }
        }
        return hasOverflowed
    }

    private func settle(_ node: FileSystemNode, _ summary: InotifyEventSummary) {
        var happened: Event = []
        if summary.mask.contains(.unmounted) { happened.insert(.revoke) }
        if summary.mask.contains(.selfMoved) {
            happened.insert(.rename)
            moved(node)
        }
        if !node.sources.isEmpty {
            happened.formUnion(node.events(in: summary))
            report(happened, to: node)
        }
        guard summary.ofDirectories.contains(.deleted) else { return }
        for child in node.children.values { checkForRemoval(child) }
    }

    /// A directory in the same parent was removed: check whether it was this one.
    private func checkForRemoval(_ node: FileSystemNode) {
        guard let old = node.attributes?.status, old.linkCount > 0, let now = node.currentStatus(),
            now.linkCount == 0
        else { return }
        node.attributes = KnownStatus(status: now)
        report(.delete, to: node)
    }

    private func moved(_ node: FileSystemNode) {
        if node.name != nil { node.name = node.currentName() }
        guard node.needsParent else { return }
        // If the new parent cannot be watched, a removal is not reported.
        guard (try? followParent(of: node)) != nil else { return }
        checkForRemoval(node)
    }

    private func report(_ happened: Event, to node: FileSystemNode) {
        guard !happened.isEmpty else { return }
        for source in node.sources where source.merge(happened) { woken.append(source) }
    }

    /// Rare: keep it out of the code that runs for each event.
    @inline(never)
    private func ended(_ node: FileSystemNode, _ summary: InotifyEventSummary) {
        let children = Array(node.children.values)
        defer {
            for child in children { checkForRemoval(child) }
        }
        guard !summary.mask.contains(.unmounted) else {
            dissolve(node)
            return
        }
        do throws(SystemError) {
            try watchAgain(node)
            examine([node], isThorough: false)
            check(node)
        } catch {
            abandon(node, error)
        }
    }

    /// Restores a watch that the kernel has dropped, and reports changes that may have been missed.
    func restoreWatch(of node: FileSystemNode) {
        guard isCurrent(node) else { return }
        let before = node.watch
        do throws(SystemError) {
            try watchAgain(node)
        } catch {
            return abandon(node, error)
        }
        if node.watch != before || !isCurrent(node) {
            reader?.inotify.unwatch(before)
            examine([node], isThorough: true)
        }
    }

    /// Informs the file's sources that no more events follow.
    private func abandon(_ node: FileSystemNode, _ error: SystemError) {
        let error = FileSystemWatchError(watching: node.currentName() ?? "a removed file", error)
        refusals.append(error)
        for source in dissolve(node) where source.fail(error) { woken.append(source) }
    }

    // MARK: without events

    /// Compares files with their last known status, and reports events that may have happened.
    /// - Parameter isThorough: events were lost, so report too much rather than too little.
    func examine(_ some: some Sequence<FileSystemNode>, isThorough: Bool) {
        for node in some where isCurrent(node) {
            if node.needsParent { try? followParent(of: node) }
            guard let content = node.content, let attributes = node.attributes,
                let now = node.currentStatus()
            else { continue }
            var happened: Event = []
            if isThorough && (content.isBehind || content.status.isFreshlyModified)
                || !content.isBehind && now.isWritten(since: content.status)
            {
                happened.insert(.write)
                // Not all file systems count subdirectories.
                if node.isDirectory && now.linkCount == 1 { happened.insert(.link) }
            }
            if !node.isDirectory && now.size > content.status.size { happened.insert(.extend) }
            let isChanged =
                isThorough && attributes.status.isFreshlyChanged
                || (isThorough || !attributes.isBehind) && now.isChanged(since: attributes.status)
            if isChanged { happened.insert(.attrib) }
            let known = (node.isDirectory ? content : attributes).status
            if now.linkCount == 0 {
                if attributes.status.linkCount > 0 { happened.insert(.delete) }
            } else if now.linkCount != known.linkCount {
                happened.insert(.link)
            }
            node.content = KnownStatus(status: now)
            node.attributes = KnownStatus(status: now)
            node.moves = DirectoryMoves()
            if let name = node.name {
                node.name = node.currentName() ?? name
                // The descriptor may show another of its names than the one that changed.
                let isHidden = isThorough && isChanged && now.linkCount > 1 && !node.isDirectory
                if node.name != name || isHidden { happened.insert(.rename) }
            }
            report(happened, to: node)
        }
    }
}
