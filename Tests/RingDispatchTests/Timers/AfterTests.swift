import Testing

@testable import RingDispatch

@Suite("DispatchQueue.asyncAfter", .watchdog)
struct AfterTests {
    private let queue = DispatchQueue(label: "after")

    @Test("42. An item does not run before its deadline", arguments: [0, 1, 10, 100])
    func notEarly(milliseconds: Int) throws {
        let ranAt = Watched<DispatchTime?>(nil)
        let deadline = DispatchTime.now() + .milliseconds(milliseconds)
        queue.asyncAfter(deadline: deadline) {
            dispatchPrecondition(condition: .onQueue(queue))
            ranAt.update { $0 = .now() }
        }
        expectEventually(ranAt) { $0 != nil }
        #expect(try #require(ranAt.value) >= deadline)
    }

    @Test("42. It may be a millisecond late, however long it waits")
    func leeway() throws {
        for clock in [TimerClock.monotonic, .wall] {
            for seconds in [1, 3600, 86_400] as [UInt64] {
                let deadline = clock.now() + seconds * 1_000_000_000
                let window = try #require(queue.window(deadline, on: clock))
                #expect(window.deadline == deadline)
                #expect(window.latest == deadline + 1_000_000)
            }
        }
    }

    @Test("42, 69. A wall-clock deadline is kept too")
    func wallDeadline() throws {
        let ranAt = Watched<DispatchWallTime?>(nil)
        let deadline = DispatchWallTime.now() + .milliseconds(30)
        queue.asyncAfter(wallDeadline: deadline) { ranAt.update { $0 = .now() } }
        expectEventually(ranAt) { $0 != nil }
        #expect(try #require(ranAt.value) >= deadline)
    }

    @Test("42. A deadline in the past means now")
    func past() {
        let ran = Watched(0)
        queue.asyncAfter(deadline: .now() - .seconds(10)) { ran.increment() }
        queue.asyncAfter(deadline: DispatchTime(uptimeNanoseconds: 0)) { ran.increment() }
        queue.asyncAfter(wallDeadline: .now() - .seconds(10)) { ran.increment() }
        queue.asyncAfter(deadline: .now()) { ran.increment() }
        expectEventually(ran) { $0 == 4 }
    }

    @Test("42. An item at the distant future never runs")
    func distantFuture() {
        let ran = Watched(0)
        queue.asyncAfter(deadline: .distantFuture) { ran.increment() }
        queue.asyncAfter(deadline: .now() + .never) { ran.increment() }
        queue.asyncAfter(wallDeadline: .distantFuture) { ran.increment() }
        expectStays(ran, at: 0)
    }

    @Test("42. Items run in the order of their deadlines")
    func order() {
        var headStart = 20
        let isInTime = holdsInSomeRound {
            let seen = Watched<[Int]>([])
            let first = DispatchTime.now() + .milliseconds(headStart)
            for number in [3, 1, 4, 0, 2] {
                queue.asyncAfter(deadline: first + .milliseconds(200 * number)) {
                    seen.append(number)
                }
            }
            // On a busy machine, some may have run before others were submitted.
            let isInTime = DispatchTime.now() < first
            expectEventually(seen) { $0.count == 5 }
            if isInTime { #expect(seen.value == [0, 1, 2, 3, 4]) }
            headStart *= 2
            return isInTime
        }
        #expect(isInTime)
    }

    @Test("Delays can be chained")
    func chain() throws {
        let start = DispatchTime.now()
        let finishedAt = Watched<DispatchTime?>(nil)
        queue.asyncAfter(deadline: .now() + 0.06) {
            queue.asyncAfter(deadline: .now() + 0.02) {
                queue.asyncAfter(deadline: .now()) { finishedAt.update { $0 = .now() } }
            }
        }
        expectEventually(finishedAt) { $0 != nil }
        #expect(try #require(finishedAt.value) >= start + 0.08)
    }

    @Test("42. A thousand deadlines are all kept")
    func many() {
        let ran = Watched(0)
        let early = Watched(0)
        let start = DispatchTime.now()
        for number in 0..<1000 {
            let deadline = start + .microseconds(number * 50)
            DispatchQueue.global().asyncAfter(deadline: deadline) {
                if DispatchTime.now() < deadline { early.increment() }
                ran.increment()
            }
        }
        expectEventually(ran) { $0 == 1000 }
        #expect(early.value == 0)
    }

    @Test("38, 42. A work item can be delayed, waited for and watched")
    func workItem() {
        let notified = Gate()
        let item = DispatchWorkItem {}
        item.notify(queue: queue) { notified.open() }
        let deadline = DispatchTime.now() + .milliseconds(10)
        queue.asyncAfter(deadline: deadline, execute: item)
        #expect(item.wait(timeout: Patience.deadline) == .success)
        #expect(DispatchTime.now() >= deadline)
        expectOpens(notified)
    }

    @Test("36, 42. A cancelled item does not run at its deadline")
    func cancel() {
        let ran = Watched(0)
        let item = DispatchWorkItem { ran.increment() }
        // However long this thread takes, the item is cancelled before it may run.
        queue.suspend()
        queue.asyncAfter(wallDeadline: .now() + .milliseconds(10), execute: item)
        item.cancel()
        queue.resume()
        #expect(item.wait(timeout: Patience.deadline) == .success)
        let isPast = Gate()
        queue.asyncAfter(wallDeadline: .now() + .milliseconds(20)) { isPast.open() }
        expectOpens(isPast)
        #expect(ran.value == 0)
    }

    @Test("37. A cancelled item lets go of its captures long before its deadline")
    func cancelReleases() {
        let released = Gate()
        do {
            let canary = Canary { released.open() }
            let item = DispatchWorkItem { canary.keepAlive() }
            queue.asyncAfter(deadline: .now() + .seconds(3600), execute: item)
            item.cancel()
        }
        expectOpens(released)
    }

    @Test("5, 42. A delayed item waits for its suspended queue")
    func suspended() {
        let ran = Watched(0)
        queue.suspend()
        queue.asyncAfter(deadline: .now() + .milliseconds(1)) { ran.increment() }
        let isPast = Gate()
        DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(2)) { isPast.open() }
        expectOpens(isPast)
        expectStays(ran, at: 0)
        queue.resume()
        expectEventually(ran) { $0 == 1 }
    }

    @Test("41, 42. Quality of service and flags are accepted")
    func options() {
        let concurrent = DispatchQueue(label: "after.options", attributes: .concurrent)
        let ran = Gate()
        concurrent.asyncAfter(
            deadline: .now() + .milliseconds(1), qos: .utility, flags: [.barrier, .enforceQoS]
        ) {
            dispatchPrecondition(condition: .onQueueAsBarrier(concurrent))
            ran.open()
        }
        expectOpens(ran)
    }
}
