import RingDispatch
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

    @Test("69. A wall-clock timer waits longer when the clock is set back")
    func backward() async {
        await #expect(processExitsWith: .success) {
            let queue = DispatchQueue(label: "wall")
            let calls = Watched(0)
            WallClock.adjust(by: -hour)
            let timer = DispatchSource.makeTimerSource(queue: queue)
            timer.schedule(wallDeadline: .now() + .milliseconds(10))
            timer.start { calls.increment() }
            expectStays(calls, at: 0)
            WallClock.adjust(by: hour)
            expectEventually(calls) { $0 == 1 }
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
