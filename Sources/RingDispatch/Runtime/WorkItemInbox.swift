internal import Synchronization

/// A list that any thread pushes onto, and that one thread takes as a whole.
///
/// Lock-free: a preempted producer delays no other thread. The push (releasing) pairs with
/// `takeAll` (acquiring), which sees the producer's earlier writes.
struct WorkItemInbox: ~Copyable, @unchecked Sendable {
    // Safety: a work item belongs to the inbox from its push until it is taken.
    /// The newest work item; work items link to older ones.
    private let head = Atomic<WorkItemPointer?>(nil)

    /// Returns whether the inbox was empty, so that its owner may need a wake-up.
    @inline(__always)
    func push(_ workItem: WorkItemPointer) -> Bool { push(workItem, workItem) }

    /// Pushes all of a list.
    func push(_ list: WorkItemList) {
        guard let oldest = list.first, let newest = list.first.reversed() else { return }
        _ = push(newest, oldest)
    }

    @inline(__always)
    private func push(_ newest: WorkItemPointer, _ oldest: WorkItemPointer) -> Bool {
        var expected = head.load(ordering: .relaxed)
        while true {
            oldest.pointee.next = expected
            let (exchanged, original) = head.weakCompareExchange(
                expected: expected, desired: newest, ordering: .sequentiallyConsistent)
            if exchanged { return expected == nil }
            expected = original
        }
    }

    @inline(__always)
    var isEmpty: Bool { head.load(ordering: .sequentiallyConsistent) == nil }

    /// All work items, oldest first.
    @inline(__always)
    func takeAll() -> WorkItemPointer? {
        guard head.load(ordering: .relaxed) != nil else { return nil }
        return head.exchange(nil, ordering: .acquiring).reversed()
    }
}
