internal import LinuxPlatform
internal import Synchronization

/// A thread that sleeps in a system call of its own until there is news, and runs the news' handler
/// itself where it may: the kernel has woken this thread, and to wake another takes as long again.
///
/// A handler may block all the same. The monitor sees to it that another thread then goes on with
/// the calls; the first one ends when its handler has returned. Meanwhile no handler runs on the
/// new one, so that there are two threads at most.
final class InotifyThread: @unchecked Sendable {
    // Safety: `seen` and `hasFailed` are the monitor's, the rest is constant or atomic.
    private let name: String
    private let work: @Sendable (InotifyThread) -> End
    private let monitor = Runtime.pool.monitor
    /// Whether there is something to take in. Asked by the monitor.
    let hasEvents: @Sendable () -> Bool
    /// Phase `inHandler` while a handler runs, else `loop`. The thread puts `inHandler` there by an exchange
    /// (sequentially consistent); it leaves it, or a successor takes it over, by one for `loop`
    /// (acquiring), so that the successor sees what the thread did before.
    private let word = Atomic<UInt64>(LoopState(.running, turn: 0).word)
    /// The kernel's identifier of the thread that makes the calls. A hint for the monitor.
    private let runner = Atomic<UInt32>(0)
    /// Threads whose handler has not returned to find a successor. Raised (relaxed) by the
    /// successor, lowered by the thread itself: it only decides where a handler runs.
    private let replaced = Atomic<Int>(0)
    /// What the monitor saw when it looked last.
    var seen: Monitor.Sample?
    private var hasFailed = false

    /// Why the work has ended.
    enum End {
        /// There will be no more news.
        case over
        /// A successor does it.
        case replaced
    }

    /// - Parameter work: makes the calls, one after the other.
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

    /// Runs a handler; false when a successor has gone on with the work meanwhile.
    func run(_ handler: () -> Void) -> Bool {
        let mine = LoopState(.inHandler, turn: loopState.turn &+ 1)
        // Like the loops' state words: whoever is to see that the thread is busy sees it from here on.
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

    /// Another thread is to go on, unless the state word has changed by the time it comes.
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
