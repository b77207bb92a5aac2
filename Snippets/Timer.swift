// A repeating timer without drift. Missed events are merged into one.
import RingDispatch

final class Heartbeat: Sendable {
    private let timer: any DispatchSourceTimer

    init(every interval: DispatchTimeInterval, beat: @escaping @Sendable (UInt) -> Void) {
        timer = DispatchSource.makeTimerSource(queue: DispatchQueue(label: "heartbeat"))
        // The leeway lets the system fire timers together, and the CPU sleep in between.
        timer.schedule(deadline: .now() + interval, repeating: interval, leeway: .milliseconds(1))
        // `data` counts the events since the last call: more than 1 if the handler was late.
        timer.setEventHandler { [unowned timer] in beat(timer.data) }
        timer.activate()
    }

    /// The handler does not run after `stopped`.
    func stop(stopped: @escaping @Sendable () -> Void) {
        timer.setCancelHandler(handler: stopped)
        timer.cancel()
    }
}

// snippet.hide
let beats = DispatchSemaphore(value: 0)
let heartbeat = Heartbeat(every: .milliseconds(10)) { fires in
    for _ in 0..<fires { beats.signal() }
}
for _ in 0..<5 { precondition(beats.wait(timeout: .now() + 30) == .success) }
let stopped = DispatchSemaphore(value: 0)
heartbeat.stop { stopped.signal() }
precondition(stopped.wait(timeout: .now() + 30) == .success)
print("five beats")
