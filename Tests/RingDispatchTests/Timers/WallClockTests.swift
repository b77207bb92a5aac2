import Glibc
@testable import RingDispatch
import Testing

private let hour: Int64 = 3_600_000_000_000

/// Timers when the clock is set. In processes of their own, because all processes share the clock.
@Suite("Timers when the clock is set", .watchdog)
struct WallClockTests {
    @Test("69. A wall-clock timer fires at once when the clock is set past its time")
    func forward() async {
        await #expect(processExitsWith: .success) {
            let queue = DispatchQueue(label: "wall")
            let fired = Gate()
            let timer = DispatchSource.makeTimerSource(queue: queue)
            timer.schedule(wallDeadline: .now() + .seconds(1800))
            timer.start { fired.open() }
            let after = Gate()
            queue.asyncAfter(wallDeadline: .now() + .seconds(1800)) { after.open() }
            drain(queue)
            WallClock.adjust(by: hour)
            expectOpens(fired)
            expectOpens(after)
            timer.cancel()
        }
    }

    /// Between its choice of a time to wake up and its sleep, nobody wakes a loop.
    @Test("69. An event loop that is about to sleep notices that the clock was set")
    func beforeSleep() async {
        await #expect(processExitsWith: .success) {
            prepareForTrap()
            setenv("RINGDISPATCH_LOOPS", "1", 1)
            let loop = Runtime.shared.loop(number: 0)
            let timer = DispatchSource.makeTimerSource()
            timer.start(deadline: .now() + .seconds(3600)) {}
            expectSoon("the timer is not set") { loop.timers.count == 1 }
            let before = loop.timers.firsts
            WallClock.adjust(by: hour / 60)
            #expect(!loop.timers.firsts.isBefore(before), "no timer follows the clock")
            timer.schedule(wallDeadline: .now() + .seconds(1800))
            let chosen = loop.timers.firsts
            #expect(!loop.timers.firsts.isBefore(chosen))
            WallClock.adjust(by: hour / 60)
            #expect(loop.timers.firsts.isBefore(chosen))
            timer.cancel()
        }
    }

    @Test("69. A wall-clock timer waits longer when the clock is set back")
    func backward() async {
        await #expect(processExitsWith: .success) {
            let queue = DispatchQueue(label: "wall")
            let calls = Watched(0)
            WallClock.adjust(by: -hour)
            let timer = DispatchSource.makeTimerSource(queue: queue)
            timer.schedule(wallDeadline: .now() + .milliseconds(10))
            timer.start { calls.increment() }
            // An uptime of the same length has passed.
            let isPast = Gate()
            queue.asyncAfter(deadline: .now() + .milliseconds(20)) { isPast.open() }
            expectOpens(isPast)
            expectStays(calls, at: 0)
            WallClock.adjust(by: hour)
            expectEventually(calls) { $0 == 1 }
            // Set back while it waits, too: an hour forward is then no more than the start again.
            timer.schedule(wallDeadline: .now() + .seconds(1800))
            WallClock.adjust(by: -hour)
            WallClock.adjust(by: hour)
            expectStays(calls, at: 1)
            WallClock.adjust(by: hour)
            expectEventually(calls) { $0 == 2 }
            timer.cancel()
        }
    }

    @Test("69. An uptime timer is unaffected")
    func uptime() async {
        await #expect(processExitsWith: .success) {
            let queue = DispatchQueue(label: "uptime")
            let calls = Watched(0)
            let timer = DispatchSource.makeTimerSource(queue: queue)
            timer.schedule(deadline: .now() + .seconds(1800))
            timer.start { calls.increment() }
            drain(queue)
            WallClock.adjust(by: hour)
            expectStays(calls, at: 0)
            timer.cancel()
        }
    }

    @Test("A repeating wall-clock timer counts the fires that a step has skipped")
    func repeating() async {
        await #expect(processExitsWith: .success) {
            let queue = DispatchQueue(label: "wall")
            let counts = Watched<[UInt]>([])
            let timer = DispatchSource.makeTimerSource(queue: queue)
            timer.schedule(wallDeadline: .now() + .seconds(60), repeating: .seconds(60))
            timer.start { counts.append(timer.data) }
            drain(queue)
            WallClock.adjust(by: hour)
            expectEventually(counts) { $0.count == 1 }
            #expect(counts.value.first.map { (59...60).contains($0) } == true)
            timer.cancel()
        }
    }
}
