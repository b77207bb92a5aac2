internal import LinuxPlatform

/// What one batch of events says about a file. inotify merges equal events that follow one another,
/// so it counts for little how many there are.
struct InotifyEventSummary {
    /// All that happened to the file itself and, of `InotifyMask.entries`, to its entries.
    private(set) var mask: InotifyMask = []
    private(set) var attributeEventCount = 0
    /// A directory in it was made, renamed or removed, or came from elsewhere or went.
    private(set) var hasDirectoryEntries = false
    /// A directory in it was made.
    private(set) var hasNewDirectory = false
    /// A directory in it was removed.
    private(set) var hasLostDirectory = false

    var isEmpty: Bool { mask.isEmpty }
    /// The file is to be compared with what was known of it.
    var hasAttributes: Bool { !mask.isDisjoint(with: .ofLinks) }

    /// - Parameter moves: the file's, which outlive the batch.
    @inline(__always)
    mutating func note(_ event: InotifyEvent, _ moves: inout DirectoryMoves) {
        if event.isOfEntry { return noteEntry(event, &moves) }
        mask.formUnion(event.mask)
        if event.mask.contains(.attributes) { attributeEventCount += 1 }
    }

    /// Rare, and apart from what each event of a file needs.
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
