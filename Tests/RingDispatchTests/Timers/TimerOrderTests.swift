import RingDispatch
import Testing

/// Timers that several threads set for several serial queues, cancel, and set again.
///
/// One event loop keeps all timers of a serial queue, and fires them in the order of their
/// deadlines, however late it wakes up. So of two timers the one with the earlier deadline runs
/// first, if it was set before the other was due. One that is due when it is set is submitted at
/// once, before others that are due.
@Suite("The order of timers", .watchdog)
struct TimerOrderTests {
    private static let queueCount = 8
    private static let threadCount = 4

    @Test(
        "42, 62, 72. Each fires once, not early, in the order of the deadlines",
        arguments: 1...(isDeep ? 100 : 4) as ClosedRange<UInt64>)
    func severalQueues(seed: UInt64) {
        let queues = (0..<Self.queueCount).map { number in
            TimerOrderQueue(number, threadCount: Self.threadCount)
        }
        let timers = Watched([Int: [TimerOrderEntry]]())
        onThreads(Self.threadCount) { thread in
            let plan = TimerOrderPlan(thread: thread, queues: queues, seed: seed)
            let entries = plan.carryOut()
            timers.update { $0[thread] = entries }
        }
        for queue in queues { expectEventually(queue.ended) { $0 == Self.threadCount } }
        for (thread, entries) in timers.value {
            for (number, entry) in entries.enumerated() {
                checkCount(TimerOrderRun.Name(thread: thread, timer: number), entry, queues)
            }
        }
        for queue in queues { checkOrder(timers.value, on: queue) }
    }

    private func checkCount(
        _ name: TimerOrderRun.Name, _ entry: TimerOrderEntry, _ queues: [TimerOrderQueue]
    ) {
        let queue = queues[entry.queue]
        func times(_ runs: [TimerOrderRun]) -> [DispatchTime] {
            runs.filter { $0.name == name }.map(\.time)
        }
        if entry.isCancelled {
            let count = times(queue.runs.value).count
            #expect(count <= (entry.isClear ? 0 : entry.deadlines.count), "cancelled: \(entry)")
            return
        }
        expectEventually(queue.runs, "not fired: \(entry)") { runs in
            times(runs).contains { entry.isClear || $0 >= entry.deadline }
        }
        let fired = times(queue.runs.value)
        #expect(fired.allSatisfy { $0 >= entry.deadlines.min()! }, "early: \(entry), \(fired)")
        #expect(fired.count <= (entry.isClear ? 1 : entry.deadlines.count), "again: \(entry)")
        if entry.isClear { #expect(fired.allSatisfy { $0 >= entry.deadline }, "early: \(entry)") }
    }

    private func checkOrder(
        _ timers: [Int: [TimerOrderEntry]], on queue: TimerOrderQueue
    ) {
        let ran = queue.runs.value.compactMap { timers[$0.name.thread]?[$0.name.timer] }
            .filter { $0.isClear && $0.setAt < $0.deadline }
        var wrong: [String] = []
        for (index, later) in ran.enumerated() {
            for first in ran[..<index]
            where later.deadline < first.deadline && later.setAt < first.deadline {
                wrong.append("\(first) before \(later)")
            }
        }
        #expect(wrong.isEmpty, "\(wrong.count) pairs: \(wrong.prefix(3))")
    }
}
