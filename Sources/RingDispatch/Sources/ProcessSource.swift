internal import LinuxPlatform
internal import Synchronization

/// A process source: reports once that a process has ended.
final class ProcessSource: MergingSource {
    // Safety: all state is locked or atomic.
    let identifier: Int32
    private let watching: Locked<Watching>

    /// Runs the handlers of the read sources that watch the pidfds.
    private static let watchQueue = DispatchQueue(label: "ringdispatch.processes")

    private struct Watching: Sendable {
        var process: ProcessDescriptor?
        /// The process did not exist when the source was made.
        var isUnknown = false
        var exit: ProcessExit?
        /// The pidfd's read source, from its creation until its cancel handler.
        var watch: (any DispatchSourceRead)?
        var isDetached = false

        /// How the process ended. Kept, because the program may reap it at any time.
        mutating func readExit() -> ProcessExit? {
            if exit == nil { exit = process?.exit }
            return exit
        }
    }

    /// - Parameter identifier: opened here, so that a reuse of the number before the activation
    ///   does no harm.
    init(identifier: Int32, queue: DispatchQueue?) {
        self.identifier = identifier
        var watching = Watching()
        switch ProcessDescriptor.open(identifier) {
        case .opened(let descriptor):
            watching.process = descriptor
        case .gone:
            watching.isUnknown = true
        case .refused(let error):
            ProcessSource.refusal.log(
                "process \(identifier) is asked for its end every "
                    + "\(ProcessSource.checkMilliseconds) ms, because \(error)")
        }
        self.watching = Locked(watching)
        super.init(queue: queue, hasKernelEvents: true)
    }

    private static let refusal = RepeatedLine()

    override var handle: UInt { UInt(bitPattern: Int(identifier)) }
    override var purpose: String { "process source of process \(identifier)" }

    // MARK: watching

    /// The process ends only once, so the source stays armed.
    override func arm(_ context: Context) -> Bool {
        let (isUnknown, watch) = watching.withLock { watching in
            (watching.isUnknown, makeWatch(&watching))
        }
        go(on: watch, hasEnded: isUnknown, context)
        return true
    }

    private func go(on watch: (any DispatchSourceRead)?, hasEnded: Bool, _ context: Context) {
        if let watch {
            watch.activate()
        } else if hasEnded {
            tell(context)
        } else {
            checkLater()
        }
    }

    /// A read source for the pidfd. Activate it outside the lock.
    private func makeWatch(_ watching: inout Watching) -> (any DispatchSourceRead)? {
        guard let process = watching.process else { return nil }
        let watch = DispatchSource.makeReadSource(
            fileDescriptor: process.number, queue: ProcessSource.watchQueue)
        // The handlers keep this object until the read source has ended; `detach` cancels it.
        watch.setEventHandler { [self] in ended() }
        watch.setCancelHandler { [self] in released() }
        watching.watch = watch
        return watch
    }

    /// On `watchQueue`: the pidfd is readable.
    private func ended() {
        let watch = watching.withLock { watching in
            _ = watching.readExit()
            return watching.watch
        }
        watch?.cancel()
        tell(Context.current)
    }

    /// On `watchQueue`: the kernel no longer uses the pidfd.
    private func released() {
        let isDetached = watching.withLock { watching in
            watching.watch = nil
            return watching.isDetached
        }
        if isDetached { wake(Context.current) }
    }

    private func tell(_ context: Context) {
        pending.store(DispatchSource.ProcessEvent.exit.rawValue, ordering: .releasing)
        wake(context)
    }

    override func detach(_ context: Context) -> Bool {
        typealias Ending = ((any DispatchSourceRead)?, ProcessDescriptor?)
        let (watch, process) = watching.withLock { watching -> Ending in
            watching.isDetached = true
            if let watch = watching.watch { return (watch, nil) }
            _ = watching.readExit()
            return (nil, watching.process.take())
        }
        watch?.cancel()
        // Closes the pidfd, unless another thread is reading `exit` at this moment.
        _ = consume process
        return watch == nil
    }

    // MARK: without a descriptor

    /// The period of polling a process for which no pidfd is available.
    private static let checkMilliseconds = 100

    private func checkLater() {
        // Safety: `check` uses only what is locked or atomic.
        nonisolated(unsafe) let source = self
        ProcessSource.watchQueue.asyncAfter(
            deadline: .now() + .milliseconds(ProcessSource.checkMilliseconds)
        ) { source.check() }
    }

    /// On `watchQueue`. The process may have ended at any time since the last check.
    private func check() {
        var opened: ProcessDescriptor?
        var hasEnded = false
        var exit: ProcessExit?
        switch ProcessDescriptor.open(identifier) {
        case .opened(let descriptor): opened = descriptor
        case .gone: hasEnded = true
        case .refused: (hasEnded, exit) = Processes.hasEnded(identifier)
        }
        let (isOver, watch) = watching.withLock { [opened, exit] watching in
            if watching.isDetached { return (true, nil as (any DispatchSourceRead)?) }
            watching.process = opened
            watching.exit = exit
            return (false, makeWatch(&watching))
        }
        if !isOver { go(on: watch, hasEnded: hasEnded, Context.current) }
    }

    // MARK: results

    /// How the process ended, if it is known yet.
    var exit: ProcessExit? { watching.withLock { $0.readExit() } }
}
