internal import Ring

/// What the events mean: GCD's, from inotify's and a look at the file.
extension FileWatches {
    typealias Event = DispatchSource.FileSystemEvent

    struct Outcome {
        /// Events were lost.
        var hasOverflowed = false
        /// Watches that could not be made anew.
        var errors: [FileSystemWatchError] = []
    }

    /// Takes in the events that were read. Each file is looked at once, however many there are.
    func takeEvents() -> Outcome {
        var outcome = Outcome()
        events.forEach { event in
            if event.changes.contains(.overflowed) { outcome.hasOverflowed = true }
            // Events of watches that were given up meanwhile find no file.
            guard let file = file(event.watch) else { return }
            let wasUntouched = file.news.isEmpty
            file.news.note(event, &file.moves)
            if wasUntouched && !file.news.isEmpty { touch(file) }
        }
        while let file = takeTouched() {
            let news = file.news
            file.news = FileNews()
            settle(file, news)
            if news.changes.contains(.ended) { ended(file, news, &outcome) }
        }
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
        let isWritten = news.changes.contains(.modified)
        var happened: Event = isWritten ? .write : []
        if isWritten { file.noteWrite() }
        let isMeasured = isWritten && file.mask.contains(.extend)
        guard isMeasured || news.hasAttributes, let now = file.look() else { return happened }
        if news.hasAttributes { happened.formUnion(attributeNews(file, news, now)) }
        if isMeasured {
            if let old = file.content, now.size > old.size { happened.insert(.extend) }
            file.learnContent(now)
        }
        return happened
    }

    private func directoryNews(_ file: WatchedFile, _ news: FileNews) -> Event {
        var happened: Event = []
        if !news.changes.isDisjoint(with: .entries) {
            happened.insert(.write)
            file.noteWrite()
        }
        let isCounted = news.hasDirectoryEntries && file.mask.contains(.link)
        guard isCounted || news.hasAttributes, let now = file.look() else { return happened }
        if isCounted {
            // One subdirectory may have taken the place of another, of which there is no event.
            let isOtherCount = now.linkCount != file.content?.linkCount
            if isOtherCount || news.hasNewDirectory || news.hasLostDirectory
                || file.moves.isChange(isCounted: now.linkCount > 1)
            {
                happened.insert(.link)
                file.moves = DirectoryMoves()
            }
            file.learnContent(now)
        }
        if news.hasAttributes { happened.formUnion(attributeNews(file, news, now)) }
        return happened
    }

    /// Tells the kernel's one attribute event apart: a name more or less, the last name, or what it
    /// is called after.
    private func attributeNews(
        _ file: WatchedFile, _ news: FileNews, _ now: FileStatus
    ) -> Event {
        guard let old = file.attributes else { return [] }
        let wasWritten = file.wasWritten
        file.learnAttributes(now)
        let isEnd = now.linkCount == 0 && old.linkCount > 0
        if !isEnd && (file.isDirectory || now.linkCount == old.linkCount) {
            var happened: Event = news.changes.contains(.attributes) ? .attrib : []
            // A file system that does not count names.
            if news.changes.contains(.selfDeleted) && old.linkCount > 0 { happened.insert(.delete) }
            return happened
        }
        var happened: Event = isEnd ? .delete : .link
        let steps = file.isDirectory ? 1 : abs(Int(now.linkCount) - Int(old.linkCount))
        let isChanged =
            now.mode != old.mode || now.owner != old.owner || now.group != old.group
            || (!wasWritten && now.modifiedNanoseconds != old.modifiedNanoseconds)
        if isChanged || news.attributeEvents > steps { happened.insert(.attrib) }
        return happened
    }

    /// A directory in the same directory was removed: perhaps this one.
    private func lookForRemoval(_ file: WatchedFile) {
        guard let old = file.attributes, old.linkCount > 0, let now = file.look(),
            now.linkCount == 0
        else { return }
        file.learnAttributes(now)
        tell(.delete, to: file)
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
        for source in file.sources where source.merge(happened) { woken.add(source) }
    }

    /// Rare, and apart from what each event needs.
    @inline(never)
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
            if isCurrent(file) { checks.append(WatchCheck(file)) }
        } catch {
            abandon(file, error, &outcome)
        }
    }

    /// Its sources are told that they hear no more.
    func abandon(_ file: WatchedFile, _ error: KernelError, _ outcome: inout Outcome) {
        let error = FileSystemWatchError(watching: file.currentName() ?? "a removed file", error)
        outcome.errors.append(error)
        for source in dissolve(file) where source.fail(error) { woken.add(source) }
    }

    // MARK: without events

    /// Compares files with what was known of them, and tells what may have happened.
    /// - Parameter isThorough: events were lost. Rather too much is told than too little.
    func examine(_ some: some Sequence<WatchedFile>, isThorough: Bool) {
        for file in some where isCurrent(file) {
            if file.needsParent { try? followParent(of: file) }
            guard let content = file.content, let attributes = file.attributes,
                let now = file.look()
            else { continue }
            var happened: Event = []
            if isThorough && (file.isContentBehind || content.isFreshlyModified)
                || !file.isContentBehind && now.isWritten(since: content)
            {
                happened.insert(.write)
                // Not all file systems count subdirectories.
                if file.isDirectory && now.linkCount == 1 { happened.insert(.link) }
            }
            if !file.isDirectory && now.size > content.size { happened.insert(.extend) }
            let isChanged =
                isThorough && attributes.isFreshlyChanged
                || (isThorough || !file.wasWritten) && now.isChanged(since: attributes)
            if isChanged { happened.insert(.attrib) }
            let known = file.isDirectory ? content : attributes
            if now.linkCount == 0 {
                if attributes.linkCount > 0 { happened.insert(.delete) }
            } else if now.linkCount != known.linkCount {
                happened.insert(.link)
            }
            file.learnContent(now)
            file.learnAttributes(now)
            file.moves = DirectoryMoves()
            if let name = file.name {
                file.name = file.currentName() ?? name
                // The descriptor may know another of its names than the one that changed.
                let isHidden = isThorough && isChanged && now.linkCount > 1 && !file.isDirectory
                if file.name != name || isHidden { happened.insert(.rename) }
            }
            tell(happened, to: file)
        }
    }
}
