import Synchronization

@testable import RingDispatch

extension TimerHeap {
    func checkInvariants() {
        for index in slots.indices.dropFirst() {
            let parent = (index - 1) / TimerHeap.arity
            precondition(
                slots[parent].window.deadline <= slots[index].window.deadline,
                "a timer is due before the one above it")
        }
        precondition(slots.first?.isEmpty != true, "the first slot is empty")
        precondition(emptyCount == slots.count { $0.isEmpty }, "the empty slots are miscounted")
        let latest = slots.filter { !$0.isEmpty }.map(\.window.latest).min() ?? .max
        precondition(earliest <= latest, "the loop would wake too late")
    }
}

extension RunQueue {
    func checkInvariants() {
        for index in lists.indices { lists[index].checkInvariants() }
        let total = lists.indices.reduce(0) { $0 + lists[$1].count }
        precondition(count == total, "the count is not the sum of the lists' counts")
    }
}

extension WorkItemList {
    func checkInvariants() {
        var found = 0
        var end: WorkItemPointer?
        first.forEach { workItem in
            found += 1
            end = workItem
        }
        precondition(found == count, "the count is not the number of work items")
        precondition(end == last || count == 0, "the last work item is not the end of the list")
    }
}

extension DispatchQueue {
    /// While no thread uses the queue. See `QueueState`.
    func checkInvariants() {
        let state = QueueState(state.load(ordering: .acquiring))
        front.checkInvariants()
        precondition(state.owner == 0 && state.running == 0, "a thread uses queue '\(label)'")
        if front.isEmpty && incoming.isEmpty {
            let isAtRest = state.word & ~(QueueState.suspendMask | QueueState.inactive) == 0
            precondition(isAtRest || state.isDirty, "queue '\(label)' is empty, but not at rest")
        } else if !state.isEnqueued {
            precondition(
                state.isDirty && (state.isStopped || state.isBarrierPending),
                "nobody will run the items of queue '\(label)'")
        }
    }
}
