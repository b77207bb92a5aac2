import RingDispatch
import Testing

@Suite("Timer sources", .watchdog)
struct TimerTests {
    private let queue = DispatchQueue(label: "timer")

    @Test("62, 70. A one-shot timer fires once, on its queue, not before its deadline")
    func oneShot() throws {
        let timer = DispatchSource.makeTimerSource(queue: queue)
        let fired = Watched<[(time: DispatchTime, data: UInt)]>([])
        let deadline = DispatchTime.now() + .milliseconds(20)
        timer.start(deadline: deadline) {
            dispatchPrecondition(condition: .onQueue(queue))
            fired.append((.now(), timer.data))
        }
        expectEventually(fired) { !$0.isEmpty }
        letTimePass(milliseconds: Patience.glanceMilliseconds)
        timer.cancel()
        #expect(fired.value.count == 1)
        let first = try #require(fired.value.first)
        #expect(first.time >= deadline)
        #expect(first.data == 1)
    }

    @Test("42, 69. A deadline in the past fires at once")
    func past() {
        let timers = [
            DispatchTime.now(), .now() - .seconds(5), DispatchTime(uptimeNanoseconds: 0),
        ].map { deadline in
            let timer = DispatchSource.makeTimerSource(queue: queue)
            timer.schedule(deadline: deadline)
            return timer
        }
        let fired = Watched(0)
        for timer in timers {
            timer.start { fired.increment() }
        }
        expectEventually(fired) { $0 == 3 }
        for timer in timers { timer.cancel() }
    }

    @Test("70. A timer that was never scheduled, or for the distant future, stays silent")
    func never() {
        let unscheduled = DispatchSource.makeTimerSource(queue: queue)
        let distant = DispatchSource.makeTimerSource(queue: queue)
        distant.schedule(deadline: .distantFuture, repeating: .milliseconds(1))
        let fired = Watched(0)
        for timer in [unscheduled, distant] {
            timer.start { fired.increment() }
        }
        expectStays(fired, at: 0)
        for timer in [unscheduled, distant] { timer.cancel() }
    }

    @Test("71. A repeating timer's ticks are start + n x interval, without drift")
    func drift() {
        let interval = 5
        let timer = DispatchSource.makeTimerSource(flags: .strict, queue: queue)
        let ticks = Watched(UInt(0))
        let early = Watched(0)
        let start = DispatchTime.now() + .milliseconds(10)
        timer.start(deadline: start, repeating: .milliseconds(interval)) {
            let count = ticks.update { ticks in
                ticks += timer.data
                return Int(ticks)
            }
            if DispatchTime.now() < start + .milliseconds((count - 1) * interval) {
                early.increment()
            }
        }
        expectEventually(ticks) { $0 >= 100 }
        timer.cancel()
        drain(queue)
        let elapsed = DispatchTime.now().uptimeNanoseconds - start.uptimeNanoseconds
        let due = UInt(elapsed / 1_000_000) / UInt(interval) + 1
        #expect(early.value == 0, "a tick fired before its time")
        #expect(ticks.value <= due + 1)
    }

    @Test("62. Missed ticks are counted, not replayed")
    func missedTicks() throws {
        let timer = DispatchSource.makeTimerSource(queue: queue)
        let calls = Watched<[UInt]>([])
        timer.setEventHandler { calls.append(timer.data) }
        let start = DispatchTime.now() + .milliseconds(50)
        timer.schedule(deadline: start, repeating: .milliseconds(50))
        timer.activate()
        expectEventually(calls) { !$0.isEmpty }
        timer.suspend()
        drain(queue)
        let before = calls.value
        let ticks = before.reduce(0, +)
        // Eight more are due by then.
        letTimePass(until: start + .milliseconds(50 * Int(ticks + 7) + 25))
        #expect(calls.value == before, "a suspended timer called its handler")
        timer.resume()
        expectEventually(calls) { $0.count > before.count }
        timer.cancel()
        drain(queue)
        let elapsed = DispatchTime.now().uptimeNanoseconds - start.uptimeNanoseconds
        let total = calls.value.reduce(0, +)
        #expect(total <= UInt(elapsed / 50_000_000) + 2, "ticks: \(calls.value)")
        #expect(try #require(calls.value.dropFirst(before.count).first) >= 8)
    }

    @Test("46, 62. A slow handler does not build up calls")
    func slowHandler() {
        let timer = DispatchSource.makeTimerSource(queue: queue)
        let calls = Watched<[UInt]>([])
        timer.start(deadline: .now(), repeating: .milliseconds(2)) {
            calls.append(timer.data)
            letTimePass(milliseconds: 30)
        }
        expectEventually(calls) { $0.count >= 5 }
        timer.cancel()
        #expect(calls.value.dropFirst().allSatisfy { $0 >= 10 }, "ticks: \(calls.value)")
    }

    @Test("Staggered timers all fire, in the order of their deadlines")
    func staggered() {
        var headStart = 20
        let isInTime = holdsInSomeRound {
            let seen = Watched<[Int]>([])
            let first = DispatchTime.now() + .milliseconds(headStart)
            let timers = (0..<5).map { number in
                let timer = DispatchSource.makeTimerSource(queue: queue)
                timer.setEventHandler { seen.append(number) }
                timer.schedule(deadline: first + .milliseconds(150 * number))
                return timer
            }
            for timer in timers.reversed() { timer.activate() }
            // On a busy machine, some may have fired before others were activated.
            let isInTime = DispatchTime.now() < first
            expectEventually(seen) { $0.count == 5 }
            if isInTime { #expect(seen.value == Array(0..<5)) }
            for timer in timers { timer.cancel() }
            headStart *= 2
            return isInTime
        }
        #expect(isInTime)
    }

    @Test("Many timers at once all fire and none early")
    func many() {
        let fired = Watched(0)
        let early = Watched(0)
        let start = DispatchTime.now()
        let timers = (0..<2000).map { number in
            let timer = DispatchSource.makeTimerSource(queue: queue)
            let deadline = start + .microseconds(number * 20)
            timer.start(deadline: deadline) {
                if DispatchTime.now() < deadline { early.increment() }
                fired.increment()
            }
            return timer
        }
        expectEventually(fired) { $0 == 2000 }
        #expect(early.value == 0)
        for timer in timers { timer.cancel() }
    }

    @Test("Of many timers of which most are cancelled, in any order, the others keep their places")
    func mostCancelled() {
        let queue = DispatchQueue(label: "timer.most-cancelled")
        let fired = Watched<Set<Int>>([])
        let never = DispatchTime.now() + .seconds(3600)
        let count = 2000
        let timers = (0..<count).map { index in
            let timer = DispatchSource.makeTimerSource(queue: queue)
            // Deadlines that go up and down.
            timer.schedule(deadline: never + .microseconds(index * 7919 % count))
            timer.start { fired.update { _ = $0.insert(index) } }
            return timer
        }
        let staying = Set(stride(from: 0, to: count, by: 9))
        for step in 0..<count {
            // Each index once: the factor and the count are coprime.
            let index = step * 1231 % count
            if !staying.contains(index) { timers[index].cancel() }
        }
        // Each timer is found in the heap, and fires separately.
        for index in staying { timers[index].schedule(deadline: .now()) }
        let isComplete = fired.wait(seconds: Patience.seconds) { $0.count >= staying.count }
        #expect(isComplete)
        queue.sync {
            let isRight = fired.value == staying
            #expect(isRight)
        }
        for timer in timers { timer.cancel() }
    }

    @Test("Short timers on a suspended queue do not starve another timer")
    func starvation() {
        let suspended = DispatchQueue(label: "timer.suspended")
        suspended.suspend()
        let silent = Watched(0)
        let timers = (0..<1000).map { _ in
            let timer = DispatchSource.makeTimerSource(queue: suspended)
            timer.start(deadline: .now(), repeating: .microseconds(5)) { silent.increment() }
            return timer
        }
        let ticks = Watched(0)
        let timer = DispatchSource.makeTimerSource(queue: queue)
        timer.setEventHandler { ticks.increment() }
        timer.schedule(deadline: .now() + .milliseconds(10), repeating: .milliseconds(10))
        timer.activate()
        expectEventually(ticks) { $0 >= 10 }
        #expect(silent.value == 0)
        timer.cancel()
        for timer in timers { timer.cancel() }
        suspended.resume()
        drain(suspended)
    }

    @Test("A timer that suspends its own queue fires once while others keep time")
    func suspendsItsQueue() {
        let own = DispatchQueue(label: "timer.own")
        let fired = Watched(0)
        let timer = DispatchSource.makeTimerSource(queue: own)
        timer.start(deadline: .now(), repeating: .milliseconds(5)) {
            fired.increment()
            own.suspend()
        }
        let ticks = Watched(0)
        let other = DispatchSource.makeTimerSource(queue: queue)
        other.start(deadline: .now(), repeating: .milliseconds(5)) { ticks.increment() }
        expectEventually(fired) { $0 == 1 }
        expectEventually(ticks) { $0 >= 10 }
        #expect(fired.value == 1)
        other.cancel()
        timer.cancel()
        own.resume()
        drain(own)
    }
}
