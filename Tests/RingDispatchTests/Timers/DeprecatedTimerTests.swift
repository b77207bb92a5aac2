import RingDispatch
import Testing

@Suite("Deprecated ways to schedule a timer", .watchdog)
struct DeprecatedTimerTests {
    private let queue = DispatchQueue(label: "schedule.deprecated")

    @Test("The deprecated forms still schedule")
    @available(*, deprecated, message: "tests what is deprecated")
    func deprecated() {
        let forms: [@Sendable (any DispatchSourceTimer) -> Void] = [
            { $0.scheduleOneshot(deadline: .now()) },
            { $0.scheduleOneshot(wallDeadline: .now()) },
            { $0.scheduleRepeating(deadline: .now(), interval: .milliseconds(10)) },
            { $0.scheduleRepeating(wallDeadline: .now(), interval: 0.01) },
        ]
        for schedule in forms {
            let timer = DispatchSource.makeTimerSource(queue: queue)
            let fired = Gate()
            timer.setEventHandler { fired.open() }
            schedule(timer)
            timer.activate()
            expectOpens(fired)
            timer.cancel()
        }
    }
}
