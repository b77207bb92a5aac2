/// A file's running stream operation in each direction, and the waiting ones.
struct StreamOrder {
    private struct Line {
        var isBusy = false
        var waiting = WaitList<IOOperation>()
    }
    private var reads = Line()
    private var writes = Line()

    private subscript(_ direction: IOOperation.Direction) -> Line {
        get { direction == .read ? reads : writes }
        set { if direction == .read { reads = newValue } else { writes = newValue } }
    }

    /// True if the operation may run now; otherwise it waits.
    mutating func enter(_ operation: IOOperation) -> Bool {
        let mustWait = self[operation.direction].isBusy
        if mustWait { self[operation.direction].waiting.append(operation) }
        self[operation.direction].isBusy = true
        return !mustWait
    }

    /// The operation to run after one has ended; nil if none waits.
    mutating func next(_ direction: IOOperation.Direction) -> IOOperation? {
        let next = self[direction].waiting.popFirst()
        self[direction].isBusy = next != nil
        return next
    }

    mutating func removeAborted() -> [IOOperation] {
        reads.waiting.removeAll(where: \.isAborted) + writes.waiting.removeAll(where: \.isAborted)
    }
}
