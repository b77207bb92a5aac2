import TestSupport
import Testing

@testable import RingDispatch

@Suite("The order of a run queue", .watchdog)
struct RunQueueTests {
    /// Work items of the classes 0 to 4, identified by their index.
    private final class Items {
        private let memory: UnsafeMutablePointer<WorkItem>
        private let count: Int

        init(_ priorities: [UInt8]) {
            count = priorities.count
            memory = .allocate(capacity: count)
            for (index, priority) in priorities.enumerated() {
                (memory + index).initialize(
                    to: WorkItem(next: nil, kind: .block, priority: priority, object: nil))
            }
        }

        deinit { memory.deallocate() }

        func all(in queue: inout RunQueue) {
            for index in 0..<count { queue.append(memory + index) }
            queue.checkInvariants()
        }

        func index(of workItem: WorkItemPointer) -> Int { workItem - memory }
    }

    @Test("The most urgent class is first, and each class is in order")
    func order() {
        let items = Items([1, 4, 2, 0, 4, 3, 2])
        var queue = RunQueue()
        items.all(in: &queue)
        var order: [Int] = []
        while let workItem = queue.popFirst() {
            order.append(items.index(of: workItem))
            queue.checkInvariants()
        }
        #expect(order == [1, 4, 5, 2, 6, 0, 3])
    }

    @Test("After a run of urgent items, the other classes have one turn each, one after the other")
    func shares() {
        // Nothing is added: the urgent class never runs out within the test.
        let urgent = [UInt8](repeating: 4, count: 1_000)
        let items = Items(urgent + [0, 1, 2, 3].flatMap { [UInt8](repeating: $0, count: 3) })
        var queue = RunQueue()
        items.all(in: &queue)
        var others: [UInt8] = []
        for turn in 1...8 * (Tuning.urgentRun + 1) {
            guard let workItem = queue.popFirst() else { break }
            let isOther = workItem.pointee.priority != 4
            #expect(isOther == (turn % (Tuning.urgentRun + 1) == 0))
            if isOther { others.append(workItem.pointee.priority) }
        }
        #expect(others == [3, 2, 1, 0, 3, 2, 1, 0])
    }

    @Test("Half of each class is taken, the later one, and everything at once in order")
    func splitting() {
        let items = Items([2, 2, 2, 2, 4, 4, 1])
        var queue = RunQueue()
        items.all(in: &queue)
        var given: [Int] = []
        queue.splitHalf().first.forEach { given.append(items.index(of: $0)) }
        queue.checkInvariants()
        #expect(given == [5, 2, 3, 6])
        var left: [Int] = []
        var rest = queue.popAll().first
        while let workItem = rest {
            rest = workItem.pointee.next
            left.append(items.index(of: workItem))
        }
        #expect(left == [4, 0, 1])
        #expect(queue.count == 0)
        queue.checkInvariants()
    }
}
