/// A file's running stream operation in each direction, and the waiting ones.
struct StreamOrder {
    private var isReading = false
    private var isWriting = false
    private var reads = IOOperationList()
    private var writes = IOOperationList()

    /// True if the operation may run now; otherwise it waits.
    mutating func enter(_ operation: IOOperation) -> Bool {
        if operation.direction == .read {
            if isReading { reads.append(operation) }
            defer { isReading = true }
            return !isReading
        }
        if isWriting { writes.append(operation) }
        defer { isWriting = true }
        return !isWriting
    }

    /// The operation to run after one has ended; nil if none waits.
    mutating func next(_ direction: IOOperation.Direction) -> IOOperation? {
        if direction == .read {
            let next = reads.popFirst()
            isReading = next != nil
            return next
        }
        let next = writes.popFirst()
        isWriting = next != nil
        return next
    }

    mutating func removeAborted() -> [IOOperation] {
        reads.removeAborted() + writes.removeAborted()
    }
}
