import RingDispatch
import Testing

@Suite("Scheduling timers", .watchdog)
struct TimerScheduleTests {
    private let queue = DispatchQueue(label: "schedule")

    @Test("69, 70. Every form of schedule fires")
    func forms() {
        let forms: [@Sendable (any DispatchSourceTimer) -> Void] = [
            { $0.schedule(deadline: .now() + 0.01) },
            { $0.schedule(deadline: .now() + 0.01, repeating: .milliseconds(10)) },
            { $0.schedule(deadline: .now() + 0.01, repeating: 0.01) },
            { $0.schedule(deadline: .now(), repeating: 0.01, leeway: .milliseconds(1)) },
            { $0.schedule(wallDeadline: .now() + 0.01) },
            { $0.schedule(wallDeadline: .now(), repeating: .milliseconds(10)) },
            { $0.schedule(wallDeadline: .now(), repeating: 0.01, leeway: .never) },
            { $0.schedule(deadline: .now(), repeating: .infinity) },
            { $0.schedule(deadline: .now(), leeway: .milliseconds(100)) },
        ]
        for (number, schedule) in forms.enumerated() {
            let timer = DispatchSource.makeTimerSource(queue: queue)
            let fired = Gate()
            timer.setEventHandler { fired.open() }
            schedule(timer)
            timer.activate()
            expectOpens(fired, "form \(number)")
            timer.cancel()
        }
    }

    @Test("70. Leeway delays by no more than itself, and never advances")
    func leeway() throws {
        let times = Watched<[String: DispatchTime]>([:])
        let deadline = DispatchTime.now() + .milliseconds(20)
        // The first has to fire before the second, however slow the machine is.
        let timers = [("lenient", 0, 200), ("reference", 400, 0)].map { name, delay, leeway in
            let timer = DispatchSource.makeTimerSource(queue: queue)
            timer.setEventHandler { times.update { $0[name] = .now() } }
            timer.schedule(
                deadline: deadline + .milliseconds(delay), leeway: .milliseconds(leeway))
            timer.activate()
            return timer
        }
        expectEventually(times) { $0.count == 2 }
        for timer in timers { timer.cancel() }
        let time = try #require(times.value["lenient"])
        #expect(time >= deadline)
        #expect(time < times.value["reference"] ?? deadline)
    }

    /// Unclamped, the first tick would be an hour late.
    @Test(
        "70, 74. Half the interval is the most leeway that counts, strict or not",
        arguments: [[], .strict] as [DispatchSource.TimerFlags])
    func leewayLimit(flags: DispatchSource.TimerFlags) {
        let timer = DispatchSource.makeTimerSource(flags: flags, queue: queue)
        let fired = Watched(0)
        timer.setEventHandler { fired.increment() }
        timer.schedule(
            deadline: .now() + .milliseconds(10), repeating: .milliseconds(10),
            leeway: .seconds(3600))
        timer.activate()
        expectEventually(fired) { $0 >= 3 }
        timer.cancel()
    }

    @Test("72. Scheduling again replaces what was scheduled", arguments: [false, true])
    func replace(insideHandler: Bool) {
        let timer = DispatchSource.makeTimerSource(queue: queue)
        let fired = Watched(0)
        timer.setEventHandler {
            if fired.increment() == 1 && insideHandler {
                timer.schedule(deadline: .now() + .milliseconds(5))
            }
        }
        timer.schedule(
            deadline: insideHandler ? .now() : .now() + .seconds(3600), repeating: .seconds(3600))
        timer.activate()
        if !insideHandler { timer.schedule(deadline: .now() + .milliseconds(5)) }
        expectEventually(fired) { $0 == (insideHandler ? 2 : 1) }
        timer.cancel()
    }

    @Test("72. Scheduling for the distant future stops a timer, and again starts it")
    func stopAndStart() {
        let timer = DispatchSource.makeTimerSource(queue: queue)
        let fired = Watched(0)
        timer.start(deadline: .now(), repeating: .milliseconds(1)) { fired.increment() }
        expectEventually(fired) { $0 >= 3 }
        queue.sync { timer.schedule(deadline: .distantFuture) }
        // Earlier ticks are dropped, but a call may have been in progress.
        drain(queue)
        let count = fired.value
        expectStays(fired, at: count)
        timer.schedule(deadline: .now())
        expectEventually(fired) { $0 == count + 1 }
        timer.cancel()
    }

    @Test("A running timer can be made faster again and again")
    func faster() {
        let timer = DispatchSource.makeTimerSource(queue: queue)
        let fired = Watched(0)
        timer.start(deadline: .now(), repeating: .seconds(2)) {
            fired.increment()
            timer.schedule(deadline: .now() + .milliseconds(10), repeating: .milliseconds(100))
        }
        expectEventually(fired) { $0 >= 15 }
        timer.cancel()
    }

    @Test("72. Scheduling races firing without a crash, and the last schedule holds")
    func scheduleRace() {
        let timer = DispatchSource.makeTimerSource(queue: queue)
        let fired = Watched(0)
        timer.start(deadline: .now()) { fired.increment() }
        onThreads(2) { _ in
            for round in 0..<5000 {
                timer.schedule(
                    deadline: .now() + .microseconds(round % 40), repeating: .microseconds(30))
            }
        }
        let last = DispatchTime.now() + .milliseconds(5)
        let hasFired = Gate()
        timer.setEventHandler {
            fired.increment()
            if DispatchTime.now() >= last { hasFired.open() }
        }
        timer.schedule(deadline: last)
        expectOpens(hasFired)
        // It does not repeat.
        let isQuiet = poll {
            let before = fired.value
            letTimePass(milliseconds: Patience.glanceMilliseconds)
            return fired.value == before
        }
        #expect(isQuiet)
        timer.cancel()
    }

    @Test("An interval around 2^31 nanoseconds is kept")
    func bit31() throws {
        let timer = DispatchSource.makeTimerSource(queue: queue)
        let times = Watched<[DispatchTime]>([])
        timer.setEventHandler { times.append(.now()) }
        let start = DispatchTime.now()
        let interval = DispatchTimeInterval.nanoseconds(1 << 31)
        timer.schedule(deadline: start, repeating: interval)
        timer.activate()
        expectEventually(times) { $0.count >= 2 }
        timer.cancel()
        #expect(try #require(times.value.dropFirst().first) >= start + interval)
    }

    @Test(
        "A huge interval fires once",
        arguments: [
            DispatchTimeInterval.seconds(.max), .nanoseconds(.max), .milliseconds(.max), .never,
        ])
    func bit63(interval: DispatchTimeInterval) {
        let timer = DispatchSource.makeTimerSource(queue: queue)
        let fired = Watched<[UInt]>([])
        timer.start(deadline: .now(), repeating: interval) { fired.append(timer.data) }
        expectEventually(fired) { !$0.isEmpty }
        expectStays(fired, at: [1])
        timer.cancel()
    }

    @Test("70. An interval of zero means the shortest one, and cancel still works")
    func zeroInterval() {
        let timer = DispatchSource.makeTimerSource(queue: queue)
        let cancelled = Gate()
        let fired = Watched(0)
        timer.setEventHandler { if fired.increment() == 10 { timer.cancel() } }
        timer.setCancelHandler { cancelled.open() }
        timer.schedule(deadline: .now(), repeating: .nanoseconds(0))
        timer.activate()
        expectOpens(cancelled)
    }

    @Test("69. A wall-clock timer repeats")
    func wallClock() {
        let timer = DispatchSource.makeTimerSource(queue: queue)
        let ticks = Watched(UInt(0))
        let early = Watched(0)
        let start = DispatchWallTime.now() + .milliseconds(10)
        timer.setEventHandler {
            let count = ticks.update { ticks in
                ticks += timer.data
                return Int(ticks)
            }
            if DispatchWallTime.now() < start + .milliseconds((count - 1) * 10) {
                early.increment()
            }
        }
        timer.schedule(wallDeadline: start, repeating: .milliseconds(10))
        timer.activate()
        expectEventually(ticks) { $0 >= 10 }
        timer.cancel()
        #expect(early.value == 0)
    }

    @Test("54, 73. A cancelled timer is silent and runs its cancel handler")
    func cancel() {
        let timer = DispatchSource.makeTimerSource(queue: queue)
        let fired = Watched(0)
        let cancelled = Gate()
        timer.setEventHandler { fired.increment() }
        timer.setCancelHandler { cancelled.open() }
        timer.schedule(deadline: .now() + .seconds(3600))
        timer.activate()
        timer.cancel()
        #expect(timer.isCancelled)
        expectOpens(cancelled)
        timer.schedule(deadline: .now())
        expectStays(fired, at: 0)
    }

    @Test("53, 73. A one-shot timer's handler lives until the timer is cancelled")
    func oneShotKeepsHandler() {
        let released = Gate()
        let timer = DispatchSource.makeTimerSource(queue: queue)
        let fired = Gate()
        do {
            let canary = Canary { released.open() }
            timer.setEventHandler {
                canary.keepAlive()
                fired.open()
            }
        }
        timer.schedule(deadline: .now())
        timer.activate()
        expectOpens(fired)
        drain(queue)
        #expect(!released.wasOpened)
        timer.cancel()
        expectOpens(released)
    }

    @Test("A timer without a queue fires too")
    func defaultQueue() {
        let timer = DispatchSource.makeTimerSource()
        let fired = Gate()
        timer.start(deadline: .now()) { fired.open() }
        expectOpens(fired)
        timer.cancel()
    }
}
