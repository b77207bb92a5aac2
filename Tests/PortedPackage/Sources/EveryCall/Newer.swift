#if !LIBDISPATCH
import Dispatch
import RingDispatch

// Calls that Darwin has and libdispatch on Linux lacks or rejects. Compiled, never run.
func asyncAndWaits(_ queue: DispatchQueue, _ item: DispatchWorkItem) throws -> Int {
    var count = 0
    queue.asyncAndWait { count += 1 }
    queue.asyncAndWait(execute: { count += 1 })
    queue.asyncAndWait(execute: item)
    queue.asyncAndWait(flags: .barrier) { count += 1 }
    try queue.asyncAndWait { throw Failure() }
    return queue.asyncAndWait { count }
}

/// Sources are objects: handlers may refer to them without holding them.
func references(_ source: DispatchSourceRead) {
    source.setEventHandler { [unowned source] in print(source.data) }
    source.setCancelHandler { [weak source] in print(source?.handle ?? 0) }
}

func unsafely(_ queue: DispatchQueue, _ events: Events) {
    queue.asyncUnsafe { events.start() }
    queue.asyncUnsafe(group: nil, qos: .default, flags: .barrier, execute: { events.stop() })
}

func distances() -> Bool {
    let start = DispatchTime.now()
    let end = start.advanced(by: .seconds(1))
    let wall = DispatchWallTime.now().advanced(by: .milliseconds(1))
    return start.distance(to: end) == .seconds(1) && wall.distance(to: .now()) != .never
}

func identities(_ queue: DispatchQueue) -> [DispatchQueue: String] {
    precondition(DispatchQueue.main == .main && DispatchQueue.global() === DispatchQueue.global())
    return [queue: queue.label, .main: "main"]
}

func sendables(_ timer: DispatchSourceTimer, _ queue: DispatchQueue) {
    let item = DispatchWorkItem {}
    let attributes: DispatchQueue.Attributes = .concurrent
    queue.async {
        item.cancel()
        timer.cancel()
        _ = DispatchQueue(label: "a", attributes: attributes)
    }
}

/// An actor that runs on a queue.
actor Ledger {
    private let queue = DispatchSerialQueue(label: "ledger", qos: .utility)
    private var entries = 0
    nonisolated var unownedExecutor: UnownedSerialExecutor { queue.asUnownedSerialExecutor() }

    func add() { entries += 1 }
    nonisolated func addSoon() { queue.async { self.assumeIsolated { $0.entries += 1 } } }
}

/// C names for constants and types, as Darwin has them.
func cNames(_ queue: dispatch_queue_t, _ block: @escaping @Sendable () -> Void) -> DispatchTime {
    let seconds = Double(NSEC_PER_MSEC) / Double(NSEC_PER_SEC)
    queue.asyncAfter(deadline: .now() + seconds, execute: block)
    let _: dispatch_block_t = block
    let time: dispatch_time_t = 5 * NSEC_PER_USEC
    return DispatchTime(uptimeNanoseconds: time)
}
#endif
