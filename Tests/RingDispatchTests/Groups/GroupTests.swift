import RingDispatch
import Synchronization
import Testing

@Suite("DispatchGroup", .watchdog)
struct GroupTests {
    private let queue = DispatchQueue(label: "group", attributes: .concurrent)

    @Test("30. A pending notification keeps its group alive")
    func notificationHolds() {
        let queue = DispatchQueue(label: "group.holds")
        let notified = Watched(false)
        weak var released: DispatchGroup?
        do {
            let group = DispatchGroup()
            released = group
            group.enter()
            group.notify(queue: queue) { notified.update { $0 = true } }
        }
        queue.sync {}
        #expect(!notified.value)
        released?.leave()
        expectEventually(notified) { $0 }
        queue.sync {}
        #expect(released == nil)
    }

    @Test("A group and a semaphore ignore the operations of queues and sources")
    func ignored() {
        for object in [DispatchGroup(), DispatchSemaphore(value: 0)] as [DispatchObject] {
            object.suspend()
            object.activate()
            object.resume()
            object.setTarget(queue: .main)
        }
    }

    @Test("30. An empty group's notification runs at once")
    func emptyNotify() {
        let notified = Gate()
        DispatchGroup().notify(queue: queue) { notified.open() }
        expectOpens(notified)
    }

    @Test("30. A notification waits for the last leave")
    func notify() {
        let group = DispatchGroup()
        let notified = Watched(0)
        group.enter()
        group.enter()
        group.notify(queue: queue) { notified.increment() }
        group.leave()
        expectStays(notified, at: 0)
        group.leave()
        expectEventually(notified) { $0 == 1 }
    }

    @Test("30. Several notifications run once each, in the order of their requests")
    func notifyOrder() {
        let serial = DispatchQueue(label: "group.order")
        let group = DispatchGroup()
        let seen = Watched<[Int]>([])
        group.enter()
        for number in 0..<10 { group.notify(queue: serial) { seen.append(number) } }
        group.leave()
        expectEventually(seen) { $0.count == 10 }
        drain(serial)
        #expect(seen.value == Array(0..<10))
    }

    @Test("30. A group can be used again")
    func reuse() {
        let group = DispatchGroup()
        let ran = Watched(0)
        for round in 1...5 {
            let notified = Gate()
            for _ in 0..<10 { queue.async(group: group) { ran.increment() } }
            group.notify(queue: queue) { notified.open() }
            #expect(group.wait(timeout: Patience.deadline) == .success)
            expectOpens(notified)
            #expect(ran.value == 10 * round)
        }
    }

    @Test("30. A notification runs on the queue that was asked for")
    func notifyQueue() {
        let serial = DispatchQueue(label: "group.queue")
        let checked = Gate()
        DispatchGroup().notify(qos: .userInitiated, flags: .enforceQoS, queue: serial) {
            dispatchPrecondition(condition: .onQueue(serial))
            checked.open()
        }
        expectOpens(checked)
    }

    @Test("30. A work item can be the notification")
    func notifyWorkItem() {
        let group = DispatchGroup()
        let ran = Gate()
        let item = DispatchWorkItem { ran.open() }
        group.enter()
        group.notify(queue: queue, work: item)
        group.leave()
        expectOpens(ran)
        #expect(item.wait(timeout: Patience.deadline) == .success)
    }

    @Test("32. wait returns at once on an empty group")
    func emptyWait() {
        let group = DispatchGroup()
        group.wait()
        #expect(group.wait(timeout: .now()) == .success)
        #expect(group.wait(wallTimeout: .now()) == .success)
    }

    @Test("32. wait times out while somebody is in, and succeeds afterwards")
    func timeout() {
        let group = DispatchGroup()
        group.enter()
        let start = DispatchTime.now()
        #expect(group.wait(timeout: start + .milliseconds(20)) == .timedOut)
        #expect(DispatchTime.now() >= start + .milliseconds(20))
        #expect(group.wait(wallTimeout: .now() + .milliseconds(5)) == .timedOut)
        #expect(group.wait(timeout: .now()) == .timedOut)
        group.leave()
        #expect(group.wait(timeout: .now()) == .success)
        #expect(group.wait(timeout: .distantFuture) == .success)
    }

    @Test("32. Several threads can wait for one group")
    func waiters() {
        let group = DispatchGroup()
        group.enter()
        let threads = (0..<8).map { _ in UserThread { group.wait() } }
        for thread in threads { #expect(thread.waitUntilAsleep()) }
        group.leave()
        for thread in threads { #expect(thread.join()) }
    }

    @Test("32, 78. wait inside an item of another queue lets the group's items run")
    func waitInsideItem() {
        let waited = Watched(0)
        for _ in 0..<8 {
            DispatchQueue.global().async {
                let group = DispatchGroup()
                for _ in 0..<8 { DispatchQueue.global().async(group: group) {} }
                group.wait()
                waited.increment()
            }
        }
        expectEventually(waited) { $0 == 8 }
    }

    @Test("33. async(group:) leaves after the item has returned")
    func asyncLeaves() {
        let group = DispatchGroup()
        let mayReturn = Gate()
        let returned = Gate()
        queue.async(group: group) {
            mayReturn.pass()
            returned.open()
        }
        #expect(group.wait(timeout: .now() + .milliseconds(20)) == .timedOut)
        mayReturn.open()
        #expect(group.wait(timeout: Patience.deadline) == .success)
        #expect(returned.wasOpened)
    }

    @Test("33. async(group:) counts before it returns, with all its options")
    func asyncEnters() {
        let group = DispatchGroup()
        let ran = Watched(0)
        let inactive = DispatchQueue(label: "group.inactive", attributes: .initiallyInactive)
        inactive.async(group: group) { ran.increment() }
        inactive.async(group: group, qos: .utility, flags: .barrier) { ran.increment() }
        inactive.async(group: group, execute: DispatchWorkItem { ran.increment() })
        #expect(group.wait(timeout: .now()) == .timedOut)
        inactive.activate()
        #expect(group.wait(timeout: Patience.deadline) == .success)
        #expect(ran.value == 3)
    }

    @Test("33. A cancelled item leaves its group too")
    func cancelledItem() {
        let group = DispatchGroup()
        let ran = Watched(0)
        let item = DispatchWorkItem { ran.increment() }
        item.cancel()
        queue.async(group: group, execute: item)
        #expect(group.wait(timeout: Patience.deadline) == .success)
        #expect(ran.value == 0)
    }

    @Test("30. Racing enter, leave and notify loses no notification")
    func notifyRace() {
        let notified = Watched(0)
        let group = DispatchGroup()
        let cycles = 20_000
        for _ in 0..<cycles {
            group.enter()
            queue.async { group.leave() }
            group.notify(queue: queue) { notified.increment() }
        }
        expectEventually(notified) { $0 == cycles }
    }

    @Test("32. Racing waits and reuse lose no wake-up")
    func waitRace() {
        let group = DispatchGroup()
        for _ in 0..<5000 {
            group.enter()
            queue.async { group.leave() }
            if group.wait(timeout: Patience.deadline) != .success {
                Issue.record("wait missed the last leave")
                return
            }
        }
    }

    @Test("30. A new round's notification never runs with the old round")
    func notifyRounds() {
        let group = DispatchGroup()
        let early = Watched(0)
        let notified = Watched(0)
        let rounds = 20_000
        for _ in 0..<rounds {
            let round = Round()
            group.enter()
            group.notify(queue: queue) {
                if !round.isOver.load(ordering: .acquiring) { early.increment() }
                notified.increment()
            }
            queue.async {
                round.isOver.store(true, ordering: .releasing)
                group.leave()
            }
        }
        expectEventually(notified) { $0 == rounds }
        #expect(early.value == 0)
    }

    @Test("32. A new round's wait never ends with the old round")
    func waitRounds() {
        let group = DispatchGroup()
        for _ in 0..<20_000 {
            let round = Round()
            group.enter()
            queue.async {
                round.isOver.store(true, ordering: .releasing)
                group.leave()
            }
            let result = group.wait(timeout: Patience.deadline)
            if result != .success || !round.isOver.load(ordering: .acquiring) {
                Issue.record("wait ended with \(result) before its round was over")
                return
            }
        }
    }

    @Test("30. A notification requested after a wait runs behind the earlier ones")
    func orderAfterWait() {
        let queue = DispatchQueue(label: "group.order")
        for _ in 0..<(isDeep ? 500 : 150) {
            let group = DispatchGroup()
            let notified = Watched<[Int]>([])
            group.enter()
            group.notify(queue: queue) { notified.append(1) }
            group.notify(queue: queue) { notified.append(2) }
            let thread = UserThread { group.leave() }
            group.wait()
            group.notify(queue: queue) { notified.append(3) }
            #expect(thread.join())
            drain(queue)
            #expect(notified.value == [1, 2, 3])
        }
    }
}

/// One use of a group, from enter to leave.
private final class Round: Sendable {
    let isOver = Atomic(false)
}
