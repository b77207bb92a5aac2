internal import LinuxPlatform

// How GCD's events of a file follow from inotify's: which to request, and what they mean.

extension DispatchSource.FileSystemEvent {
    /// The events to request from inotify.
    func inotifyMask(ofDirectory isDirectory: Bool) -> InotifyMask {
        // The kernel refuses an empty mask; this event is harmless.
        var mask: InotifyMask = .selfDeleted
        if isDirectory {
            if !isDisjoint(with: [.write, .link]) { mask.formUnion(.entries) }
            // A directory that moves gets another parent, whose events show its removal.
            if contains(.delete) { mask.formUnion([.attributes, .selfMoved]) }
        } else {
            if !isDisjoint(with: [.write, .extend]) { mask.insert(.modified) }
            if !isDisjoint(with: [.delete, .link]) { mask.insert(.attributes) }
        }
        if contains(.attrib) { mask.insert(.attributes) }
        if contains(.rename) { mask.insert(.selfMoved) }
        return mask
    }
}

extension FileSystemNode {
    /// GCD's events, from inotify's. Some depend on how the file's status differs from the last
    /// one.
    func events(in summary: InotifyEventSummary) -> Event {
        isDirectory ? directoryEvents(summary) : contentEvents(summary)
    }

    private func contentEvents(_ summary: InotifyEventSummary) -> Event {
        let isWritten = summary.mask.contains(.modified)
        var happened: Event = isWritten ? .write : []
        if isWritten { noteWrite() }
        let isMeasured = isWritten && mask.contains(.extend)
        guard isMeasured || summary.hasAttributes, let now = currentStatus() else {
            return happened
        }
        if summary.hasAttributes { happened.formUnion(attributeEvents(summary, now)) }
        if isMeasured {
            if let old = content?.status, now.size > old.size { happened.insert(.extend) }
            content = KnownStatus(status: now)
        }
        return happened
    }

    private func directoryEvents(_ summary: InotifyEventSummary) -> Event {
        var happened: Event = []
        if !summary.mask.isDisjoint(with: .entries) {
            happened.insert(.write)
            noteWrite()
        }
        let isCounted = !summary.ofDirectories.isEmpty && mask.contains(.link)
        guard isCounted || summary.hasAttributes, let now = currentStatus() else {
            return happened
        }
        if isCounted {
            // One subdirectory may have replaced another, which produces no event of its own.
            let isOtherCount = now.linkCount != content?.status.linkCount
            if isOtherCount || !summary.ofDirectories.isDisjoint(with: [.created, .deleted])
                || moves.isChange(isCounted: now.linkCount > 1)
            {
                happened.insert(.link)
                moves = DirectoryMoves()
            }
            content = KnownStatus(status: now)
        }
        if summary.hasAttributes { happened.formUnion(attributeEvents(summary, now)) }
        return happened
    }

    /// Splits the kernel's single attribute event into `.link`, `.delete` and `.attrib`.
    private func attributeEvents(_ summary: InotifyEventSummary, _ now: FileStatus) -> Event {
        guard let known = attributes else { return [] }
        let old = known.status
        attributes = KnownStatus(status: now)
        let isEnd = now.linkCount == 0 && old.linkCount > 0
        if !isEnd && (isDirectory || now.linkCount == old.linkCount) {
            var happened: Event = summary.mask.contains(.attributes) ? .attrib : []
            // On a file system that does not count names.
            if summary.mask.contains(.selfDeleted) && old.linkCount > 0 { happened.insert(.delete) }
            return happened
        }
        var happened: Event = isEnd ? .delete : .link
        let steps = isDirectory ? 1 : abs(Int(now.linkCount) - Int(old.linkCount))
        let isChanged =
            now.mode != old.mode || now.owner != old.owner || now.group != old.group
            || (!known.isBehind && now.modifiedNanoseconds != old.modifiedNanoseconds)
        if isChanged || summary.attributeEventCount > steps { happened.insert(.attrib) }
        return happened
    }
}
