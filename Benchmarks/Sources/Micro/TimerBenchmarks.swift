#if LIBDISPATCH
import Dispatch
#else
import RingDispatch
#endif

let timerBenchmarks: [Benchmark] = [
    Benchmark("timer-create-cancel", operations: 50_000) { operations in
        let queue = DispatchQueue(label: "timer-create-cancel")
        return elapsedNanoseconds {
            for _ in 0..<operations {
                let timer = DispatchSource.makeTimerSource(queue: queue)
                timer.schedule(deadline: .now() + .seconds(100))
                timer.setEventHandler {}
                timer.activate()
                timer.cancel()
            }
            queue.sync {}
        }
    },

    Benchmark("async-after", operations: 100_000) { operations in
        let queue = DispatchQueue(label: "async-after")
        let done = DispatchSemaphore(value: 0)
        let fired = Cell(0)
        return elapsedNanoseconds {
            let start = DispatchTime.now()
            for index in 0..<operations {
                queue.asyncAfter(deadline: start + .milliseconds(1 + index % 20)) {
                    fired.value += 1
                    if fired.value == operations {
                        done.signal()
                    }
                }
            }
            done.wait()
        }
    },

    Benchmark(
        names: ["timer-lateness-p50", "timer-lateness-p99"], operations: 500, repetitions: 3
    ) { operations in
        let lateness = TimerLateness(fires: operations).measured()
        return [percentile(lateness, 0.5), percentile(lateness, 0.99)]
    },
]

/// The delay from the due time of each event of a repeating 1 ms timer to its handler.
private final class TimerLateness: @unchecked Sendable {
    private let intervalNanoseconds = 1_000_000
    private let fires: Int
    private let queue = DispatchQueue(label: "timer-lateness")
    private let done = DispatchSemaphore(value: 0)
    /// Only `queue` touches these.
    private var due = 0
    private var lateness: [Double] = []

    init(fires: Int) {
        self.fires = fires
        lateness.reserveCapacity(fires)
    }

    func measured() -> [Double] {
        let timer = DispatchSource.makeTimerSource(flags: .strict, queue: queue)
        let start = DispatchTime.now() + .milliseconds(2)
        timer.schedule(
            deadline: start, repeating: .nanoseconds(intervalNanoseconds), leeway: .nanoseconds(0))
        // The handler reads the timer's event count; cancelling breaks the reference cycle.
        timer.setEventHandler {
            self.record(events: Int(timer.data), since: start)
            if self.lateness.count == self.fires {
                timer.cancel()
            }
        }
        timer.setCancelHandler { self.done.signal() }
        timer.activate()
        done.wait()
        return lateness
    }

    /// Missed events are merged into one call, whose lateness is that of the first of them.
    private func record(events: Int, since start: DispatchTime) {
        guard lateness.count < fires else { return }
        let dueTime = start.uptimeNanoseconds + UInt64(due * intervalNanoseconds)
        let now = DispatchTime.now().uptimeNanoseconds
        lateness.append(now > dueTime ? Double(now - dueTime) : 0)
        due += events
    }
}
