internal import LinuxPlatform

/// The events of one file in one batch. inotify merges equal consecutive events, so their number
/// matters little.
struct InotifyEventSummary {
    /// All events of the file itself and, those of `InotifyMask.entries`, of its entries.
    private(set) var mask: InotifyMask = []
    private(set) var attributeEventCount = 0
    /// A subdirectory was created, renamed or removed, or moved in or out.
    private(set) var hasDirectoryEntries = false
    /// A subdirectory was created.
    private(set) var hasNewDirectory = false
    /// A subdirectory was removed.
    private(set) var hasLostDirectory = false

    var isEmpty: Bool { mask.isEmpty }
    /// The file must be compared with its last known status.
    var hasAttributes: Bool { !mask.isDisjoint(with: .ofLinks) }

    /// - Parameter moves: the file's moves, which outlive the batch.
    @inline(__always)
    mutating func note(_ event: InotifyEvent, _ moves: inout DirectoryMoves) {
        if event.isOfEntry { return noteEntry(event, &moves) }
        mask.formUnion(event.mask)
        if event.mask.contains(.attributes) { attributeEventCount += 1 }
    }

    /// Rare: keep it out of the code that runs for each event.
    @inline(never)
    private mutating func noteEntry(_ event: InotifyEvent, _ moves: inout DirectoryMoves) {
        let mask = event.mask.intersection(.entries)
        self.mask.formUnion(mask)
        guard event.mask.contains(.isDirectory), !mask.isEmpty else { return }
        hasDirectoryEntries = true
        switch mask {
        case .movedFrom: moves.depart(event.cookie)
        case .movedTo: moves.arrive(event.cookie)
        case .created: hasNewDirectory = true
        default: hasLostDirectory = true
        }
    }
}
