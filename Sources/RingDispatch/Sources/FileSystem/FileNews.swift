internal import Ring

/// What one batch of events says about a file. inotify merges equal events that follow one another,
/// so it counts for little how many there are.
struct FileNews {
    /// All that happened to the file itself and, of `FileChanges.entries`, to its entries.
    private(set) var changes: FileChanges = []
    private(set) var attributeEvents = 0
    /// A directory in it was made, renamed or removed, or came from elsewhere or went.
    private(set) var hasDirectoryEntries = false
    /// A directory in it was made.
    private(set) var hasNewDirectory = false
    /// A directory in it was removed.
    private(set) var hasLostDirectory = false

    var isEmpty: Bool { changes.isEmpty }
    /// The file is to be compared with what was known of it.
    var hasAttributes: Bool { !changes.isDisjoint(with: .ofLinks) }

    /// - Parameter moves: the file's, which outlive the batch.
    @inline(__always)
    mutating func note(_ event: FileEvent, _ moves: inout DirectoryMoves) {
        if event.isOfEntry { return noteEntry(event, &moves) }
        changes.formUnion(event.changes)
        if event.changes.contains(.attributes) { attributeEvents += 1 }
    }

    /// Rare, and apart from what each event of a file needs.
    @inline(never)
    private mutating func noteEntry(_ event: FileEvent, _ moves: inout DirectoryMoves) {
        let changes = event.changes.intersection(.entries)
        self.changes.formUnion(changes)
        guard event.changes.contains(.isDirectory), !changes.isEmpty else { return }
        hasDirectoryEntries = true
        switch changes {
        case .movedFrom: moves.depart(event.cookie)
        case .movedTo: moves.arrive(event.cookie)
        case .created: hasNewDirectory = true
        default: hasLostDirectory = true
        }
    }
}

/// Moves of directories of which one end was seen. The other end of a renaming may follow in the
/// next batch; of one from elsewhere, or to elsewhere, it never does.
struct DirectoryMoves {
    /// The cookies of those that went.
    private var departed: [UInt32] = []
    private var hasArrival = false

    mutating func depart(_ cookie: UInt32) { departed.append(cookie) }

    mutating func arrive(_ cookie: UInt32) {
        if let index = departed.firstIndex(of: cookie) {
            departed.remove(at: index)
        } else {
            hasArrival = true
        }
    }

    /// Whether the moves seen so far changed which directories there are, given that the number of
    /// directories did not change. One that went while none came is a renaming whose other end is
    /// to follow.
    /// - Parameter isCounted: the file system counts directories. Otherwise each end counts.
    func isChange(isCounted: Bool) -> Bool {
        isCounted ? !departed.isEmpty && hasArrival : !departed.isEmpty || hasArrival
    }
}
