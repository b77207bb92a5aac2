internal import LinuxPlatform
internal import Synchronization

/// A process source: reports once that a process has ended.
final class ProcessSource: SourceCore, @unchecked Sendable {
    // Safety: `latched` belongs to the invoker; the rest is locked or atomic.
    let identifier: Int32
    /// The process has ended, and the handler was not called yet. The store (releasing) pairs with
    /// the invoker's exchange (acquiring).
    private let pending = Atomic<Bool>(false)
    @exclusivity(unchecked) private var latched = false
    private let watching: Locked<Watching>

    /// Where the read sources' handlers run that watch the descriptors.
    private static let watchQueue = DispatchQueue(label: "ringdispatch.processes")

    private struct Watching: @unchecked Sendable {
        // Safety: used inside the lock.
        var process: Opened?
        /// There was no such process from the start.
        var isUnknown = false
        var exit: ProcessExit?
        /// The descriptor's read source, from its start until the kernel has let go.
        var watch: (any DispatchSourceRead)?
        var isDetached = false
    }

    /// Closes the descriptor when the last reference goes.
    private final class Opened {
        let descriptor: ProcessDescriptor
        init(_ descriptor: consuming ProcessDescriptor) { self.descriptor = descriptor }
    }

    /// - Parameter identifier: its process is fixed now, so that nothing that happens before the
    ///   activation can make it another one.
    init(identifier: Int32, queue: DispatchQueue?) {
        self.identifier = identifier
        var watching = Watching()
        switch ProcessDescriptor.open(identifier) {
        case .opened(let descriptor):
            watching.process = Opened(descriptor)
        case .gone:
            watching.isUnknown = true
        case .refused(let error):
            Diagnostics.log(
                "process \(identifier) is asked for its end every "
                    + "\(ProcessSource.checkMilliseconds) ms, because \(error)")
        }
        self.watching = Locked(watching)
        super.init(queue: queue, hasKernelEvents: true)
    }

    override var purpose: String { "process source of process \(identifier)" }

    override func latch() -> Bool {
        latched = pending.exchange(false, ordering: .acquiring)
        return latched
    }

    // MARK: watching

    /// The end comes once, so the source stays armed.
    override func arm(_ context: Context) -> Bool {
        let (isUnknown, watch) = watching.withLock { watching in
            (watching.isUnknown, makeWatch(&watching))
        }
        if let watch {
            watch.activate()
        } else if isUnknown {
            tell(context)
        } else {
            checkLater()
        }
        return true
    }

    /// A read source for the descriptor, to be activated outside of the lock.
    private func makeWatch(_ watching: inout Watching) -> (any DispatchSourceRead)? {
        guard let process = watching.process else { return nil }
        let watch = DispatchSource.makeReadSource(
            fileDescriptor: process.descriptor.number, queue: ProcessSource.watchQueue)
        // Both keep this object until the watch has ended, which `detach` sees to.
        watch.setEventHandler { [self] in ended() }
        watch.setCancelHandler { [self] in released() }
        watching.watch = watch
        return watch
    }

    /// On the watches' queue: the descriptor is readable.
    private func ended() {
        let watch = watching.withLock { watching in
            // Now, because the program may reap the process in a moment.
            if watching.exit == nil { watching.exit = watching.process?.descriptor.exit }
            return watching.watch
        }
        watch?.cancel()
        tell(Context.current)
    }

    /// On the watches' queue: the kernel has let go of the descriptor.
    private func released() {
        let isDetached = watching.withLock { watching in
            watching.watch = nil
            return watching.isDetached
        }
        if isDetached { wake(Context.current) }
    }

    private func tell(_ context: Context) {
        pending.store(true, ordering: .releasing)
        wake(context)
    }

    override func detach(wasInstalled: Bool, _ context: Context) -> Bool {
        typealias Ending = ((any DispatchSourceRead)?, Opened?)
        let (watch, process) = watching.withLock { watching -> Ending in
            watching.isDetached = true
            if let watch = watching.watch { return (watch, nil) }
            if watching.exit == nil { watching.exit = watching.process?.descriptor.exit }
            defer { watching.process = nil }
            return (nil, watching.process)
        }
        watch?.cancel()
        // Its descriptor is closed here, unless `exit` is being asked at this moment.
        _ = consume process
        return watch == nil
    }

    // MARK: without a descriptor

    /// How often a process is asked whether it still is, where no descriptor can be had for it.
    private static let checkMilliseconds = 100

    private func checkLater() {
        ProcessSource.watchQueue.asyncAfter(
            deadline: .now() + .milliseconds(ProcessSource.checkMilliseconds)
        ) { [self] in check() }
    }

    /// On the watches' queue. Nothing is lost but time: the process may have ended meanwhile.
    private func check() {
        let opening = ProcessDescriptor.open(identifier)
        var opened: Opened?
        var hasEnded = false
        var exit: ProcessExit?
        switch consume opening {
        case .opened(let descriptor): opened = Opened(descriptor)
        case .gone: hasEnded = true
        case .refused: (hasEnded, exit) = Processes.hasEnded(identifier)
        }
        let (isOver, watch) = watching.withLock { [opened, exit] watching in
            if watching.isDetached { return (true, nil as (any DispatchSourceRead)?) }
            watching.process = opened
            watching.exit = exit
            return (false, makeWatch(&watching))
        }
        if isOver { return }
        if let watch {
            watch.activate()
        } else if hasEnded {
            tell(Context.current)
        } else {
            checkLater()
        }
    }

    // MARK: what is reported

    /// Whether this call of the handler reports the end.
    var hasExited: Bool { latched }

    /// How the process ended, as far as known by now.
    var exit: ProcessExit? {
        watching.withLock { watching in
            if watching.exit == nil { watching.exit = watching.process?.descriptor.exit }
            return watching.exit
        }
    }
}
