internal import Ring

/// What the events mean: GCD's, from inotify's and a look at the file.
extension FileWatches {
    typealias Event = DispatchSource.FileSystemEvent

    struct Outcome {
        /// Events were lost.
        var hasOverflowed = false
        /// Watches that could not be made anew.
        var errors: [FileSystemWatchError] = []
        /// Nothing is watched any more.
        var isEmpty = false
    }

    /// Takes in the events that were read. Each file is looked at once, however many there are.
    func takeEvents() -> Outcome {
        var outcome = Outcome()
        events.forEach { event in
            if event.changes.contains(.overflowed) { outcome.hasOverflowed = true }
            // Events of watches that were given up meanwhile find no file.
            guard let file = files[event.watch] else { return }
            let isFirst = file.news.isEmpty
            file.news.note(event)
            if isFirst { touched.append(file) }
        }
        for file in touched {
            let news = file.news
            file.news = FileNews()
            settle(file, news)
            if news.changes.contains(.ended) { ended(file, news, &outcome) }
        }
        touched.removeAll(keepingCapacity: true)
        outcome.isEmpty = isEmpty
        return outcome
    }

    private func settle(_ file: WatchedFile, _ news: FileNews) {
        var happened: Event = []
        if news.changes.contains(.unmounted) { happened.insert(.revoke) }
        if news.changes.contains(.selfMoved) {
            happened.insert(.rename)
            moved(file)
        }
        if !file.sources.isEmpty {
            if file.isDirectory {
                happened.formUnion(directoryNews(file, news))
            } else {
                happened.formUnion(contentNews(file, news))
            }
            tell(happened, to: file)
        }
        guard news.hasLostDirectory else { return }
        for child in file.children.values { lookForRemoval(child) }
    }

    /// What the events of a file other than a directory mean.
    private func contentNews(_ file: WatchedFile, _ news: FileNews) -> Event {
        let isModified = news.changes.contains(.modified)
        var happened: Event = isModified ? .write : []
        let isCompared = news.changes.contains(.attributes) || news.changes.contains(.selfDeleted)
        guard isCompared || (isModified && file.mask.contains(.extend)) else {
            if isModified { file.isStatusBehind = true }
            return happened
        }
        let wasBehind = isModified || file.isStatusBehind
        guard let (old, new) = file.look() else { return happened }
        if isModified && new.size > old.size { happened.insert(.extend) }
        if isCompared { happened.formUnion(linkNews(file, news, old, new, wasBehind)) }
        return happened
    }

    private func directoryNews(_ file: WatchedFile, _ news: FileNews) -> Event {
        var happened: Event = news.changes.isDisjoint(with: .entries) ? [] : .write
        if news.hasUnpairedMoves { happened.insert(.link) }
        if news.changes.contains(.attributes) || news.changes.contains(.selfDeleted) {
            guard let (old, new) = file.look() else { return happened }
            happened.formUnion(linkNews(file, news, old, new, true))
        } else if news.hasMovedDirectory, file.mask.contains(.link),
            let (old, new) = file.look(), old.linkCount != new.linkCount
        {
            // One subdirectory took the place of another.
            happened.insert(.link)
        }
        return happened
    }

    /// Tells the kernel's one attribute event apart: a name more or less, the last name, or what it
    /// is called after.
    private func linkNews(
        _ file: WatchedFile, _ news: FileNews, _ old: FileStatus, _ new: FileStatus,
        _ wasWritten: Bool
    ) -> Event {
        let isFirstSightOfEnd = old.linkCount > 0
        if new.linkCount == old.linkCount || (file.isDirectory && new.linkCount > 0) {
            var happened: Event = news.changes.contains(.attributes) ? .attrib : []
            // A file system that does not count names.
            if news.changes.contains(.selfDeleted) && isFirstSightOfEnd { happened.insert(.delete) }
            return happened
        }
        var happened: Event = new.linkCount == 0 ? .delete : .link
        let steps = abs(Int(new.linkCount) - Int(old.linkCount))
        let isChanged =
            new.mode != old.mode || new.owner != old.owner || new.group != old.group
            || (!wasWritten && new.modifiedNanoseconds != old.modifiedNanoseconds)
        if isChanged || news.attributeEvents > steps { happened.insert(.attrib) }
        return happened
    }

    /// A directory in the same directory was removed: perhaps this one.
    private func lookForRemoval(_ file: WatchedFile) {
        guard let (old, new) = file.look() else { return }
        if new.linkCount == 0 && old.linkCount > 0 { tell(.delete, to: file) }
    }

    private func moved(_ file: WatchedFile) {
        if file.name != nil { file.name = file.currentName() }
        guard file.needsParent else { return }
        // Where the new parent cannot be watched, a removal stays unseen.
        guard (try? followParent(of: file)) != nil else { return }
        lookForRemoval(file)
    }

    private func tell(_ happened: Event, to file: WatchedFile) {
        guard !happened.isEmpty else { return }
        for source in file.sources where source.merge(happened) { woken.append(source) }
    }

    private func ended(_ file: WatchedFile, _ news: FileNews, _ outcome: inout Outcome) {
        let children = file.children.values.map { $0 }
        defer {
            for child in children { lookForRemoval(child) }
        }
        guard !news.changes.contains(.unmounted) else {
            dissolve(file)
            return
        }
        do throws(KernelError) {
            try watchAgain(file)
            examine([file], isThorough: false)
        } catch {
            let error = FileSystemWatchError(
                watching: file.currentName() ?? "a removed file", error)
            outcome.errors.append(error)
            for source in dissolve(file) where source.fail(error) { woken.append(source) }
        }
    }

    // MARK: without events

    /// Compares files with what was known of them, and tells what may have happened.
    /// - Parameter isThorough: many events were lost. Rather too much is told than too little.
    func examine(_ some: some Sequence<WatchedFile>, isThorough: Bool) {
        for file in some where isCurrent(file) && !file.sources.isEmpty {
            let wasBehind = isThorough && file.isStatusBehind
            guard let (old, new) = file.look() else { continue }
            let isUncertain = isThorough && (old.isRecent || wasBehind)
            var happened: Event = []
            if new.linkCount != old.linkCount {
                happened.insert(new.linkCount == 0 ? .delete : .link)
            }
            let isWritten =
                isUncertain || new.size != old.size
                || new.modifiedNanoseconds != old.modifiedNanoseconds
            let isChanged = isUncertain || new.changedNanoseconds != old.changedNanoseconds
            if isWritten { happened.insert(.write) }
            if isChanged { happened.insert(.attrib) }
            if file.isDirectory {
                // Not all file systems count subdirectories.
                if isWritten && new.linkCount == 1 { happened.insert(.link) }
                if file.needsParent { try? followParent(of: file) }
            } else if new.size > old.size {
                happened.insert(.extend)
            }
            if let oldName = file.name {
                file.name = file.currentName() ?? oldName
                // The descriptor may know another of its names than the one that changed.
                let isHidden = isThorough && isChanged && new.linkCount > 1 && !file.isDirectory
                if file.name != oldName || isHidden { happened.insert(.rename) }
            }
            tell(happened, to: file)
        }
    }
}
