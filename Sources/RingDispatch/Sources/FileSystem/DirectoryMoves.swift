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
