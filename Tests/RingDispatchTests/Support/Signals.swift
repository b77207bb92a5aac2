import Glibc
import RingDispatch
import Synchronization
import Testing

/// Signals belong to the whole process, so each test has one of its own.
enum TestSignal {
    /// The n-th real-time signal: each that is sent is delivered.
    static func queued(_ n: Int32) -> Int32 { __libc_current_sigrtmin() + n }

    /// Whether each real-time signal calls its handler. ThreadSanitizer delays handlers, and
    /// calls them once for all signals that arrived meanwhile.
    static let areKeptApart = dlsym(nil, "__tsan_init") == nil
}

/// An active source of a signal, and the deliveries that its handler received.
final class SignalProbe: Sendable {
    let source: any DispatchSourceSignal
    /// `data`, call by call.
    let seen = Watched<[UInt]>([])
    private let cancelled: Gate

    init(_ signal: Int32, on queue: DispatchQueue, activates: Bool = true) {
        let source = DispatchSource.makeSignalSource(signal: signal, queue: queue)
        self.source = source
        source.setEventHandler { [seen] in
            dispatchPrecondition(condition: .onQueue(queue))
            seen.append(source.data)
        }
        cancelled = watchCancel(of: source)
        if activates { source.activate() }
    }

    var total: UInt { seen.value.reduce(0, +) }

    /// Waits until the handler has received this total of deliveries.
    func expect(_ total: UInt, sourceLocation: SourceLocation = #_sourceLocation) {
        expectEventually(seen, sourceLocation: sourceLocation) { $0.reduce(0, +) == total }
    }

    /// Cancels, and waits until the source has ended.
    func end(sourceLocation: SourceLocation = #_sourceLocation) {
        finish(source, cancelled, sourceLocation: sourceLocation)
    }
}

/// Runs `body` on a new thread that blocks no signal, and waits for its end. The test library may
/// have blocked signals on the test's own thread.
func onOwnThread(
    sourceLocation: SourceLocation = #_sourceLocation, _ body: @escaping @Sendable () -> Void
) {
    let thread = UserThread {
        blockNothing()
        body()
    }
    #expect(thread.join(), "the thread did not end", sourceLocation: sourceLocation)
}

/// Unblocks all signals on the calling thread.
func blockNothing() {
    var none = sigset_t()
    sigemptyset(&none)
    pthread_sigmask(SIG_SETMASK, &none, nil)
}

/// Polls the system's state until it meets the condition, or records a failure.
func expectSoon(
    _ comment: Comment, sourceLocation: SourceLocation = #_sourceLocation, _ condition: () -> Bool
) {
    for _ in 0..<(Patience.seconds * 1000) {
        if condition() { return }
        letTimePass(milliseconds: 1)
    }
    Issue.record(comment, sourceLocation: sourceLocation)
}

/// Delivers a signal, and returns after its delivery.
func deliver(_ signal: Int32, times: Int = 1, sourceLocation: SourceLocation = #_sourceLocation) {
    onOwnThread(sourceLocation: sourceLocation) {
        for _ in 0..<times { raise(signal) }
    }
}

/// Sends a real-time signal to the process, as soon as its queue has room.
func sendQueued(_ signal: Int32, value: Int32 = 0) {
    while sigqueue(getpid(), signal, sigval(sival_int: value)) != 0 && errno == EAGAIN {
        sched_yield()
    }
}

/// A signal's disposition.
func disposition(of signal: Int32) -> sigaction {
    var present = sigaction()
    sigaction(signal, nil, &present)
    return present
}

/// The address of a handler, 0 for SIG_DFL, 1 for SIG_IGN.
func handlerAddress(of signal: Int32) -> Int {
    unsafeBitCast(disposition(of: signal).__sigaction_handler.sa_handler, to: Int.self)
}

/// A handler of the program's own, which counts by signal.
enum OwnHandler {
    private struct Slot: ~Copyable {
        let calls = Atomic<Int>(0)
        let lastValue = Atomic<Int32>(0)
        /// The calls of `passing`.
        let passed = Atomic<Int>(0)
        /// What `passing` calls.
        let next = Atomic<Int>(0)
    }

    // Safety: allocated once, never freed, and atomic.
    nonisolated(unsafe) private static let slots: UnsafeMutablePointer<Slot> = {
        let slots = UnsafeMutablePointer<Slot>.allocate(capacity: 65)
        for index in 0..<65 { (slots + index).initialize(to: Slot()) }
        return slots
    }()

    static func calls(_ signal: Int32) -> Int {
        slots[Int(signal)].calls.load(ordering: .acquiring)
    }

    static func passed(_ signal: Int32) -> Int {
        slots[Int(signal)].passed.load(ordering: .acquiring)
    }

    /// The value that accompanied the last one, see sigqueue(3).
    static func lastValue(_ signal: Int32) -> Int32 {
        slots[Int(signal)].lastValue.load(ordering: .acquiring)
    }

    private static func zero(_ signal: Int32) {
        slots[Int(signal)].calls.store(0, ordering: .releasing)
        slots[Int(signal)].passed.store(0, ordering: .releasing)
    }

    /// One with SA_SIGINFO.
    static func install(_ signal: Int32, flags: Int32 = 0) {
        zero(signal)
        var action = sigaction()
        action.sa_flags = SA_SIGINFO | flags
        action.__sigaction_handler.sa_sigaction = { signal, information, _ in
            guard let information else { return }
            let slot = OwnHandler.slots + Int(signal)
            if information.pointee.si_code == SI_QUEUE.code {
                slot.pointee.lastValue.store(
                    information.pointee._sifields._rt.si_sigval.sival_int, ordering: .releasing)
            }
            slot.pointee.calls.wrappingAdd(1, ordering: .acquiringAndReleasing)
        }
        sigaction(signal, &action, nil)
    }

    /// A handler that receives the number only.
    static func installPlain(_ signal: Int32, flags: Int32 = 0) {
        zero(signal)
        var action = sigaction()
        action.sa_flags = flags
        action.__sigaction_handler.sa_handler = { signal in
            OwnHandler.slots[Int(signal)].calls.wrappingAdd(1, ordering: .acquiringAndReleasing)
        }
        sigaction(signal, &action, nil)
    }

    /// A handler that calls the previously installed one, which has SA_SIGINFO.
    static func installPassing(_ signal: Int32) {
        let present = disposition(of: signal)
        precondition(present.sa_flags & SA_SIGINFO != 0)
        slots[Int(signal)].next.store(handlerAddress(of: signal), ordering: .releasing)
        var action = sigaction()
        action.sa_flags = SA_SIGINFO
        action.__sigaction_handler.sa_sigaction = { signal, information, context in
            typealias Full =
                @convention(c) (
                    Int32, UnsafeMutablePointer<siginfo_t>?, UnsafeMutableRawPointer?
                ) -> Void
            let slot = OwnHandler.slots + Int(signal)
            slot.pointee.passed.wrappingAdd(1, ordering: .acquiringAndReleasing)
            let next = slot.pointee.next.load(ordering: .acquiring)
            unsafeBitCast(next, to: Full.self)(signal, information, context)
        }
        sigaction(signal, &action, nil)
    }
}

extension UInt32 {
    fileprivate var code: Int32 { Int32(bitPattern: self) }
}

extension Int32 {
    fileprivate var code: Int32 { self }
}

extension Int {
    fileprivate var code: Int32 { Int32(self) }
}
