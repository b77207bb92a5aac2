internal import LinuxPlatform
internal import Synchronization

/// Records what the threads do, while the program asks for it; see `DispatchRuntime.startTrace`.
enum Trace {
    struct Event: Sendable {
        let kind: Kind
        /// The kernel's ID of the thread.
        let thread: UInt32
        /// In ticks. Equal to `end` for what takes no time.
        let start: UInt64
        let end: UInt64
        /// What it is about: the label of a queue, or the index of a loop.
        let subject: Subject
    }

    enum Kind: String, Sendable {
        /// A thread runs items of a queue.
        case queue
        /// A worker waits for events of its loop.
        case wait
        /// A thread wakes the sleeping worker of a loop.
        case wakeUp = "wake up"
        /// A worker takes a loop whose handler stays.
        case takeOver = "take over"
        /// The worker of a loop takes work items from another one.
        case steal
    }

    enum Subject: Sendable {
        case queue(String)
        case loop(Int)
    }

    /// The newest events of a thread, and of earlier ones that have ended.
    final class Buffer: Sendable {
        fileprivate let ring: Locked<Ring>

        fileprivate init(capacity: Int) {
            ring = Locked(Ring(capacity: capacity))
        }
    }

    fileprivate struct Ring {
        let capacity: Int
        var events: [Event] = []
        /// The oldest event, once there are `capacity` of them.
        private var oldest = 0

        init(capacity: Int) {
            self.capacity = capacity
        }

        mutating func add(_ event: Event) {
            guard events.count == capacity else { return events.append(event) }
            events[oldest] = event
            oldest = oldest + 1 == capacity ? 0 : oldest + 1
        }
    }

    private struct State {
        /// How many events of a thread are kept.
        var capacity = 1
        var start = Moment()
        var buffers: [Buffer] = []
        /// Those whose threads have ended, for later ones.
        var unused: [Buffer] = []
    }

    private static let state = Locked(State())
    /// Relaxed: around a change, a thread may record an event too many or too few.
    private static let isSwitchedOn = Atomic<Bool>(false)

    /// Forgets earlier events, and records from now on.
    static func start(capacity: Int) {
        state.withLock { state in
            state.capacity = capacity
            state.start = Moment()
            empty(&state)
        }
        isSwitchedOn.store(true, ordering: .relaxed)
    }

    /// Forgets all events.
    static func stop() {
        isSwitchedOn.store(false, ordering: .relaxed)
        state.withLock { empty(&$0) }
    }

    private static func empty(_ state: inout sending State) {
        for buffer in state.buffers { buffer.ring.withLock { $0 = Ring(capacity: state.capacity) } }
    }

    /// A point in time on both clocks: the rate of the ticks is known roughly only.
    struct Moment: Sendable {
        let ticks = Ticks.now()
        let nanoseconds = MonotonicClock.nanoseconds()
    }

    /// The start, and what has happened since then, in no order.
    static func events() -> (start: Moment, events: [Event]) {
        let (start, buffers) = state.withLock { ($0.start, $0.buffers) }
        return (start, buffers.flatMap { $0.ring.withLock { $0.events } })
    }

    // MARK: for the thread that does something

    @inline(__always)
    static var isOn: Bool { isSwitchedOn.load(ordering: .relaxed) }

    /// The time, for a later `record`; 0: nothing is recorded.
    @inline(__always)
    static func begin() -> UInt64 { isOn ? Ticks.now() : 0 }

    /// Records what takes no time.
    @inline(__always)
    static func note(_ kind: Kind, loop: Int) {
        let now = begin()
        if now != 0 { record(kind, .loop(loop), from: now, to: now, Context.current) }
    }

    @inline(never)
    static func record(
        _ kind: Kind, _ subject: Subject, from start: UInt64, to end: UInt64, _ context: Context
    ) {
        let thread = context.pointee.identifier
        let event = Event(kind: kind, thread: thread, start: start, end: end, subject: subject)
        let buffer = context.pointee.traceBuffer ?? adoptBuffer(context)
        buffer._withUnsafeGuaranteedRef { buffer in buffer.ring.withLock { $0.add(event) } }
    }

    /// The list of all buffers keeps it.
    private static func adoptBuffer(_ context: Context) -> Unmanaged<Buffer> {
        let buffer = state.withLock { state in
            if let buffer = state.unused.popLast() { return buffer }
            let buffer = Buffer(capacity: state.capacity)
            state.buffers.append(buffer)
            return buffer
        }
        context.pointee.traceBuffer = .passUnretained(buffer)
        return .passUnretained(buffer)
    }

    /// The thread ends.
    static func giveBack(_ buffer: Unmanaged<Buffer>) {
        let buffer = buffer.takeUnretainedValue()
        state.withLock { $0.unused.append(buffer) }
    }
}
