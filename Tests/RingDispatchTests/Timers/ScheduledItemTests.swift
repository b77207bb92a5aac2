import RingDispatch
import Testing

@Suite("DispatchQueue.scheduleAfter", .watchdog)
struct ScheduledItemTests {
    private let queue = DispatchQueue(label: "scheduled")

    @Test("It runs on the queue, not before its time, whether or not somebody keeps the item")
    func runs() throws {
        let ranAt = Watched<DispatchTime?>(nil)
        let deadline = DispatchTime.now() + .milliseconds(10)
        queue.scheduleAfter(deadline: deadline) {
            dispatchPrecondition(condition: .onQueue(queue))
            ranAt.update { $0 = .now() }
        }
        expectEventually(ranAt) { $0 != nil }
        #expect(try #require(ranAt.value) >= deadline)
    }

    @Test("37. A cancelled one does not run, and frees what it captured at once")
    func cancelled() {
        let freed = Gate()
        let ran = Watched(0)
        func schedule() -> DispatchScheduledItem {
            let canary = Canary { freed.open() }
            return queue.scheduleAfter(deadline: .now() + .seconds(600)) {
                canary.keepAlive()
                ran.increment()
            }
        }
        let item = schedule()
        #expect(!item.isCancelled)
        item.cancel()
        #expect(item.isCancelled)
        expectOpens(freed)
        #expect(ran.value == 0)
    }

    @Test("Once it has run it frees what it captured, although somebody keeps the item")
    func freesAfterRun() {
        let freed = Gate()
        func schedule() -> DispatchScheduledItem {
            let canary = Canary { freed.open() }
            return queue.scheduleAfter(deadline: .now() + .milliseconds(1)) { canary.keepAlive() }
        }
        let item = schedule()
        expectOpens(freed)
        #expect(!item.isCancelled)
    }

    @Test("37. A cancelled work item frees its captures before its asyncAfter is due")
    func cancelledWorkItem() {
        let freed = Gate()
        func submit() -> DispatchWorkItem {
            let canary = Canary { freed.open() }
            let item = DispatchWorkItem { canary.keepAlive() }
            queue.asyncAfter(deadline: .now() + .seconds(600), execute: item)
            return item
        }
        submit().cancel()
        expectOpens(freed)
    }

    @Test("A wall-clock time is kept, a time in the past means now, the distant future means never")
    func times() throws {
        let ranAt = Watched<DispatchWallTime?>(nil)
        let deadline = DispatchWallTime.now() + .milliseconds(20)
        queue.scheduleAfter(wallDeadline: deadline) { ranAt.update { $0 = .now() } }
        let past = Gate()
        queue.scheduleAfter(deadline: .now() - .seconds(1)) { past.open() }
        expectOpens(past)
        let never = Watched(0)
        let item = queue.scheduleAfter(deadline: .distantFuture) { never.increment() }
        expectEventually(ranAt) { $0 != nil }
        #expect(try #require(ranAt.value) >= deadline)
        #expect(never.value == 0)
        item.cancel()
    }

    @Test("Many that are cancelled from several threads while they come due run at most once")
    func race() {
        let count = 2_000
        let ran = (0..<count).map { _ in Watched(0) }
        let start = DispatchTime.now()
        let items = (0..<count).map { index in
            queue.scheduleAfter(deadline: start + .microseconds(index * 5)) {
                ran[index].increment()
            }
        }
        DispatchQueue.concurrentPerform(iterations: 4) { part in
            for index in stride(from: part, to: count, by: 4) where index % 3 == 0 {
                items[index].cancel()
            }
        }
        for index in 0..<count where index % 3 != 0 { expectEventually(ran[index]) { $0 == 1 } }
        for index in stride(from: 0, to: count, by: 3) { #expect(ran[index].value <= 1) }
    }
}
