internal import LinuxPlatform
internal import Synchronization

/// A thread that blocks in read(2) on an inotify descriptor, and runs the handler of an event
/// itself where it may. The kernel has woken this thread; waking another one would double the
/// latency.
///
/// A handler may block. Then the monitor starts a replacement thread, which continues to read; the
/// first thread ends when its handler returns. The replacement runs no handlers meanwhile, so there
/// are at most two threads.
final class InotifyThread: @unchecked Sendable {
    // Safety: `seen` and `hasFailed` belong to the monitor, the rest is constant or atomic.
    private let name: String
    private let work: @Sendable (InotifyThread) -> End
    private let monitor = Runtime.pool.monitor
    /// Whether events are pending. Called by the monitor.
    let hasEvents: @Sendable () -> Bool
    /// Phase `inHandler` while a handler runs, otherwise `running`. The thread enters `inHandler`
    /// by an exchange (sequentially consistent). It leaves that phase, or its replacement takes
    /// over, by a compare-and-swap to `running` (acquiring), so the replacement sees all earlier
    /// writes of the thread.
    private let word = Atomic<UInt64>(LoopState(.running, turn: 0).word)
    /// The kernel's identifier of the thread that reads. A hint for the monitor.
    private let runner = Atomic<UInt32>(0)
    /// Threads whose handler has not returned since they were replaced. Raised (relaxed) by the
    /// replacement, lowered by the replaced thread: it only decides where a handler runs.
    private let replaced = Atomic<Int>(0)
    /// The monitor's last sample.
    var seen: Monitor.Sample?
    private var hasFailed = false

    /// Why `work` returned.
    enum End {
        /// No more events will arrive.
        case over
        /// A replacement thread has taken over.
        case replaced
    }

    /// - Parameter work: the loop that reads the descriptor.
    init(
        name: String, hasEvents: @escaping @Sendable () -> Bool,
        work: @escaping @Sendable (InotifyThread) -> End
    ) {
        self.name = name
        self.hasEvents = hasEvents
        self.work = work
    }

    func start() throws(SystemError) {
        monitor.oversee(self)
        do throws(SystemError) {
            try Threads.start { self.run() }
        } catch {
            monitor.disregard(self)
            throw error
        }
    }

    private func run() {
        Threads.setName(name)
        runner.store(Threads.currentIdentifier, ordering: .relaxed)
        if work(self) == .over { monitor.disregard(self) }
    }

    // MARK: for the work

    /// Whether the thread may run a handler.
    var mayRunHandlers: Bool { replaced.load(ordering: .relaxed) == 0 }

    /// Runs a handler. Returns false if a replacement thread has taken over meanwhile.
    func run(_ handler: () -> Void) -> Bool {
        let mine = LoopState(.inHandler, turn: loopState.turn &+ 1)
        // Store-then-check with the monitor's `state`.
        _ = word.exchange(mine.word, ordering: .sequentiallyConsistent)
        monitor.noteActivity()
        handler()
        if exchange(mine, for: mine.with(.running)) { return true }
        replaced.wrappingSubtract(1, ordering: .relaxed)
        return false
    }

    // MARK: for the monitor

    var loopState: LoopState { LoopState(word: word.load(ordering: .sequentiallyConsistent)) }
    var isRunningHandler: Bool { loopState.phase == .inHandler }
    var identifier: UInt32 { runner.load(ordering: .relaxed) }

    /// Starts a replacement thread, which takes over unless the state word has changed by then.
    func replace(expecting: LoopState) {
        do throws(SystemError) {
            try Threads.start { [self] in
                guard exchange(expecting, for: expecting.with(.running)) else { return }
                replaced.wrappingAdd(1, ordering: .relaxed)
                run()
            }
        } catch {
            if !hasFailed { Diagnostics.log("no further thread '\(name)': \(error)") }
            hasFailed = true
        }
    }

    private func exchange(_ expected: LoopState, for desired: LoopState) -> Bool {
        word.compareExchange(
            expected: expected.word, desired: desired.word, ordering: .acquiringAndReleasing
        ).exchanged
    }
}
