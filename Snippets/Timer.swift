// Something that is done again and again, without drift, and late rather than piled up.
import RingDispatch

final class Heartbeat: Sendable {
    private let timer: any DispatchSourceTimer

    init(every interval: DispatchTimeInterval, beat: @escaping @Sendable (UInt) -> Void) {
        timer = DispatchSource.makeTimerSource(queue: DispatchQueue(label: "heartbeat"))
        // The leeway lets timers fire together, and the processor sleep in between.
        timer.schedule(deadline: .now() + interval, repeating: interval, leeway: .milliseconds(1))
        // `data` counts the fires since the last call: more than 1 when the handler was late.
        timer.setEventHandler { [unowned timer] in beat(timer.data) }
        timer.activate()
    }

    /// After `stopped` the handler does not run any more.
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
