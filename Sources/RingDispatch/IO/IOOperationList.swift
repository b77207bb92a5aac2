/// Waiting operations, linked through the operations: each is on one list at a time.
struct IOOperationList {
    private(set) var first: IOOperation?
    private var last: IOOperation?

    var isEmpty: Bool { first == nil }

    mutating func append(_ operation: IOOperation) {
        if let last { last.next = operation } else { first = operation }
        last = operation
    }

    mutating func popFirst() -> IOOperation? {
        guard let operation = first else { return nil }
        first = operation.next
        operation.next = nil
        if first == nil { last = nil }
        return operation
    }

    mutating func removeAborted() -> [IOOperation] {
        var rest = IOOperationList()
        var aborted: [IOOperation] = []
        while let operation = popFirst() {
            if operation.abortCode == 0 {
                rest.append(operation)
            } else {
                aborted.append(operation)
            }
        }
        self = rest
        return aborted
    }
}
