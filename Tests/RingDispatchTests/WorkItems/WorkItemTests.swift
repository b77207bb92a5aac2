import RingDispatch
import Testing

@Suite("DispatchWorkItem", .watchdog)
struct WorkItemTests {
    private let queue = DispatchQueue(label: "item")

    @Test("38. A queued item runs, and wait returns afterwards")
    func waits() {
        let ran = Watched(0)
        let item = DispatchWorkItem { ran.increment() }
        queue.async(execute: item)
        item.wait()
        #expect(ran.value == 1)
    }

    @Test("38. wait times out while the item is held up")
    func waitTimesOut() {
        let mayRun = Gate()
        let item = DispatchWorkItem { mayRun.pass() }
        queue.async(execute: item)
        let start = DispatchTime.now()
        #expect(item.wait(timeout: start + .milliseconds(20)) == .timedOut)
        #expect(DispatchTime.now() >= start + .milliseconds(20))
        #expect(item.wait(wallTimeout: .now() + .milliseconds(5)) == .timedOut)
        mayRun.open()
        #expect(item.wait(timeout: Patience.deadline) == .success)
    }

    @Test("40. perform runs the block on the caller and counts as the execution")
    func perform() {
        let thread = Watched<Int32>(0)
        let notified = Gate()
        let item = DispatchWorkItem { thread.update { $0 = currentThreadIdentifier() } }
        item.notify(queue: queue) { notified.open() }
        item.perform()
        #expect(thread.value == currentThreadIdentifier())
        expectOpens(notified)
        #expect(item.wait(timeout: .now()) == .success)
    }

    @Test("36. A cancelled item does not run its block but completes")
    func cancel() {
        let ran = Watched(0)
        let notified = Gate()
        let item = DispatchWorkItem { ran.increment() }
        #expect(!item.isCancelled)
        item.notify(queue: queue) { notified.open() }
        item.cancel()
        item.cancel()
        #expect(item.isCancelled)
        queue.async(execute: item)
        #expect(item.wait(timeout: Patience.deadline) == .success)
        expectOpens(notified)
        #expect(ran.value == 0)
    }

    @Test("36. Cancelling after queueing, before the item runs, still stops it")
    func cancelQueued() {
        let mayRun = Gate()
        let ran = Watched(0)
        let item = DispatchWorkItem { ran.increment() }
        queue.async { mayRun.pass() }
        queue.async(execute: item)
        item.cancel()
        mayRun.open()
        #expect(item.wait(timeout: Patience.deadline) == .success)
        #expect(ran.value == 0)
    }

    @Test("36. Cancelling does not interrupt a block that runs")
    func cancelRunning() {
        let inside = Gate()
        let mayFinish = Gate()
        let finished = Gate()
        let item = DispatchWorkItem {
            inside.open()
            mayFinish.pass()
            finished.open()
        }
        queue.async(execute: item)
        expectOpens(inside)
        item.cancel()
        #expect(item.isCancelled)
        mayFinish.open()
        #expect(item.wait(timeout: Patience.deadline) == .success)
        #expect(finished.wasOpened)
    }

    @Test("36, 40. perform and sync skip a cancelled item")
    func performCancelled() {
        let ran = Watched(0)
        let performed = DispatchWorkItem { ran.increment() }
        performed.cancel()
        performed.perform()
        #expect(performed.wait(timeout: Patience.deadline) == .success)
        let synced = DispatchWorkItem { ran.increment() }
        synced.cancel()
        queue.sync(execute: synced)
        #expect(synced.wait(timeout: Patience.deadline) == .success)
        #expect(ran.value == 0)
    }

    @Test("39. Several notifications run after the item, once each")
    func notify() {
        let seen = Watched<[String]>([])
        let item = DispatchWorkItem { seen.append("item") }
        for _ in 0..<5 { item.notify(queue: queue) { seen.append("notification") } }
        queue.async(execute: item)
        expectEventually(seen) { $0.count == 6 }
        drain(queue)
        #expect(seen.value == ["item"] + Array(repeating: "notification", count: 5))
    }

    @Test("39. A notification requested after completion runs at once")
    func lateNotify() {
        let item = DispatchWorkItem {}
        queue.async(execute: item)
        item.wait()
        let notified = Gate()
        item.notify(qos: .utility, flags: .enforceQoS, queue: queue) {
            dispatchPrecondition(condition: .onQueue(queue))
            notified.open()
        }
        expectOpens(notified)
    }

    @Test("39. An item can be the notification of another, and so on")
    func chain() {
        let seen = Watched<[Int]>([])
        let items = (0..<5).map { number in DispatchWorkItem { seen.append(number) } }
        for (item, next) in zip(items, items.dropFirst()) {
            item.notify(queue: DispatchQueue.global(), execute: next)
        }
        queue.async(execute: items[0])
        expectEventually(seen) { $0.count == 5 }
        #expect(seen.value == Array(0..<5))
    }

    @Test(
        "41. Every flag and quality of service is accepted",
        arguments: [
            [], .barrier, .detached, .assignCurrentContext, .noQoS, .inheritQoS, .enforceQoS,
        ] as [DispatchWorkItemFlags])
    func flags(flags: DispatchWorkItemFlags) {
        let item = DispatchWorkItem(qos: .utility, flags: flags) {}
        queue.async(execute: item)
        #expect(item.wait(timeout: Patience.deadline) == .success)
    }

    @Test("13. An item lets go of its captures when its last reference goes")
    func captures() {
        let released = Gate()
        do {
            let canary = Canary { released.open() }
            let item = DispatchWorkItem { canary.keepAlive() }
            queue.async(execute: item)
            item.wait()
        }
        expectOpens(released)
    }

    @Test("38. An item can run again and again when nobody waits for it")
    func repeated() {
        let ran = Watched(0)
        let item = DispatchWorkItem { ran.increment() }
        for _ in 0..<10 { queue.async(execute: item) }
        expectEventually(ran) { $0 == 10 }
        item.perform()
        #expect(ran.value == 11)
    }
}
