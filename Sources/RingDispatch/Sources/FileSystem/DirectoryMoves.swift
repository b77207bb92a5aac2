internal import LinuxPlatform

/// Moves of directories of which only one end was seen. The other end of a rename may follow in the
/// next batch of events; a move from or to an unwatched directory has no other end.
struct DirectoryMoves {
    /// The cookies of directories that were moved away.
    private var departed: [UInt32] = []
    private var hasArrival = false

    mutating func note(_ event: InotifyEvent) {
        if event.mask.contains(.movedFrom) {
            departed.append(event.cookie)
        } else if event.mask.contains(.movedTo) {
            if let index = departed.firstIndex(of: event.cookie) {
                departed.remove(at: index)
            } else {
                hasArrival = true
            }
        }
    }

    /// Whether the moves so far changed the set of subdirectories, given that their number is the
    /// same. A departure without an arrival is a rename whose other end will follow.
    /// - Parameter isCounted: the file system counts subdirectories. Otherwise each single end is a
    ///   change.
    func isChange(isCounted: Bool) -> Bool {
        isCounted ? !departed.isEmpty && hasArrival : !departed.isEmpty || hasArrival
    }
}
