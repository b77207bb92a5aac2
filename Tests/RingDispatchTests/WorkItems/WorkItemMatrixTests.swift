import RingDispatch
import Testing

/// Combines the times of a cancel with the ways to observe an item's end.
@Suite("Cancelled work items", .watchdog)
struct WorkItemMatrixTests {
    enum Cancel: CaseIterable {
        case never, beforeSubmission, whileItWaits, whileItRuns, afterItRan
    }

    enum Submission: CaseIterable {
        case async, group, sync, perform, after, asyncAndWait
    }

    @Test(
        "36, 38, 39. However it is cancelled and run, it completes once for all observers",
        arguments: Cancel.allCases, Submission.allCases)
    func matrix(cancel: Cancel, submission: Submission) {
        let queue = DispatchQueue(label: "matrix")
        let entered = Gate()
        let leave = Gate()
        let ran = Watched(0)
        let item = DispatchWorkItem {
            entered.open()
            leave.pass()
            ran.increment()
        }
        let notified = Watched<[String]>([])
        item.notify(queue: queue) { notified.append("early") }
        let block = Gate()
        let blocked = Gate()
        if cancel == .beforeSubmission { item.cancel() }
        if cancel == .whileItWaits {
            queue.async {
                blocked.open()
                block.pass()
            }
            expectOpens(blocked)
        }
        let group = DispatchGroup()
        let submitter = UserThread { submit(item, to: queue, group, submission) }
        switch cancel {
        case .never, .afterItRan, .beforeSubmission: leave.open()
        case .whileItWaits:
            leave.open()
            // perform() runs immediately: there is nothing to wait for.
            if submission != .perform { item.cancel() }
            block.open()
        case .whileItRuns:
            expectOpens(entered)
            item.cancel()
            leave.open()
        }
        #expect(item.wait(timeout: Patience.deadline) == .success)
        #expect(submitter.join())
        #expect(group.wait(timeout: Patience.deadline) == .success)
        if cancel == .afterItRan { item.cancel() }
        item.notify(queue: queue) { notified.append("late") }
        expectEventually(notified) { $0.count == 2 }
        drain(queue)
        #expect(notified.value == ["early", "late"])
        let isStopped =
            cancel == .beforeSubmission || (cancel == .whileItWaits && submission != .perform)
        #expect(ran.value == (isStopped ? 0 : 1))
        #expect(item.isCancelled == (cancel != .never && !(cancel == .whileItWaits && !isStopped)))
    }

    private func submit(
        _ item: DispatchWorkItem, to queue: DispatchQueue, _ group: DispatchGroup,
        _ submission: Submission
    ) {
        switch submission {
        case .async: queue.async(execute: item)
        case .group: queue.async(group: group, execute: item)
        case .sync: queue.sync(execute: item)
        case .perform: item.perform()
        case .after: queue.asyncAfter(deadline: .now() + .milliseconds(1), execute: item)
        case .asyncAndWait: queue.asyncAndWait(execute: item)
        }
    }

    @Test("38. Several threads may wait for one item")
    func waiters() {
        let leave = Gate()
        let item = DispatchWorkItem { leave.pass() }
        DispatchQueue(label: "matrix.waiters").async(execute: item)
        let threads = (0..<4).map { _ in UserThread { item.wait() } }
        for thread in threads { #expect(thread.waitUntilAsleep()) }
        leave.open()
        for thread in threads { #expect(thread.join()) }
    }

    @Test("38. An item that runs twice completes with its first run, and the second is harmless")
    func twice() {
        let queue = DispatchQueue(label: "matrix.twice")
        let ran = Watched(0)
        let notified = Watched(0)
        let item = DispatchWorkItem { ran.increment() }
        item.notify(queue: queue) { notified.increment() }
        let waiter = UserThread { item.wait() }
        queue.async(execute: item)
        queue.async(execute: item)
        #expect(waiter.join())
        expectEventually(ran) { $0 == 2 }
        drain(queue)
        #expect(notified.value == 1)
    }
}
