import RingDispatch
import Testing

@Suite("DispatchWorkItem", .watchdog)
struct WorkItemTests {
    private let queue = DispatchQueue(label: "item")

    @Test("A queued item runs, and wait returns afterwards")  // contract 38
    func waits() {
        let ran = Watched(0)
        let item = DispatchWorkItem { ran.increment() }
        queue.async(execute: item)
        item.wait()
        #expect(ran.value == 1)
    }

    @Test("wait times out while the item is held up")  // contract 38
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

    @Test("perform runs the block on the caller and counts as the execution")  // contract 40
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

    @Test("A cancelled item does not run its block but completes")  // contract 36
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

    @Test("Cancelling after queueing, before the item runs, still stops it")  // contract 36
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

    @Test("Cancelling does not interrupt a block that runs")  // contract 36
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

    @Test("perform and sync skip a cancelled item")  // contract 36, 40
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

    @Test("Several notifications come after the item, once each")  // contract 39
    func notify() {
        let seen = Watched<[String]>([])
        let item = DispatchWorkItem { seen.append("item") }
        for _ in 0..<5 { item.notify(queue: queue) { seen.append("notification") } }
        queue.async(execute: item)
        expectEventually(seen) { $0.count == 6 }
        drain(queue)
        #expect(seen.value == ["item"] + Array(repeating: "notification", count: 5))
    }

    @Test("A notification that is asked for after completion comes at once")  // contract 39
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

    @Test("An item can be the notification of another, and so on")  // contract 39
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

    @Test("Every flag and quality of service is accepted", arguments: [
        [], .barrier, .detached, .assignCurrentContext, .noQoS, .inheritQoS, .enforceQoS,
    ] as [DispatchWorkItemFlags])  // contract 41
    func flags(flags: DispatchWorkItemFlags) {
        let item = DispatchWorkItem(qos: .utility, flags: flags) {}
        queue.async(execute: item)
        #expect(item.wait(timeout: Patience.deadline) == .success)
    }

    @Test("An item lets go of its captures when its last reference goes")  // contract 13
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

    @Test("An item can run again and again when nobody waits for it")  // contract 38
    func repeated() {
        let ran = Watched(0)
        let item = DispatchWorkItem { ran.increment() }
        for _ in 0..<10 { queue.async(execute: item) }
        expectEventually(ran) { $0 == 10 }
        item.perform()
        #expect(ran.value == 11)
    }
}
