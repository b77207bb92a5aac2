internal import LinuxPlatform
internal import Synchronization

/// A process source: reports once that a process has ended.
final class ProcessSource: MergingSource, DescriptorWaiter {
    // Safety: all state is locked, atomic or constant.
    let identifier: Int32
    private let watching: Locked<Watching>
    /// The loop that waits for the pidfd.
    private let loop = Runtime.shared.loopForNewSource()

    private struct Watching: Sendable {
        var process: ProcessDescriptor?
        /// The process did not exist when the source was made.
        var isUnknown = false
        var waitStatus: Int32?
        var isDetached = false

        /// How the process ended. Kept, because the program may reap it at any time.
        mutating func readStatus() -> Int32? {
            if waitStatus == nil { waitStatus = process?.waitStatus }
            return waitStatus
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
        let (isUnknown, isWaiting) = watching.withLock { watching in
            (watching.isUnknown, beginWait(for: watching.process))
        }
        goOn(isWaiting: isWaiting, hasEnded: isUnknown, context)
        return true
    }

    private func goOn(isWaiting: Bool, hasEnded: Bool, _ context: Context) {
        if isWaiting {
            loop.callWorkerIfNeeded()
        } else if hasEnded {
            tell(context)
        } else {
            checkLater()
        }
    }

    /// Under the lock, so that `detach` can cancel it. False: no descriptor, or the kernel refuses.
    private func beginWait(for process: ProcessDescriptor?) -> Bool {
        guard let process else { return false }
        let wait = DescriptorWait(for: PollEvents.readable, by: self)
        return loop.readiness.begin(wait, for: process.number, isFirst: true) == 0
    }

    /// The pidfd is readable.
    func waitEnded(_ events: UInt32, _ context: Context) {
        watching.withLock { _ = $0.readStatus() }
        tell(context)
    }

    private func tell(_ context: Context) {
        pending.store(DispatchSource.ProcessEvent.exit.rawValue, ordering: .releasing)
        wake(context)
    }

    override func detach() {
        let process = watching.withLock { watching in
            watching.isDetached = true
            _ = watching.readStatus()
            return watching.process.take()
        }
        guard let process else { return }
        loop.readiness.cancelWait(by: self, for: process.number)
        // The pidfd is closed then.
        loop.readiness.release(process.number)
    }

    // MARK: without a descriptor

    /// The period of polling a process for which no pidfd is available.
    private static let checkMilliseconds = 100
    private static let checkQueue = DispatchQueue(label: "ringdispatch.processes")

    private func checkLater() {
        // Safety: `check` uses only what is locked or atomic.
        nonisolated(unsafe) let source = self
        ProcessSource.checkQueue.asyncAfter(
            deadline: .now() + .milliseconds(ProcessSource.checkMilliseconds)
        ) { source.check() }
    }

    /// The process may have ended at any time since the last check.
    private func check() {
        var opened: ProcessDescriptor?
        var hasEnded = false
        var waitStatus: Int32?
        switch ProcessDescriptor.open(identifier) {
        case .opened(let descriptor): opened = descriptor
        case .gone: hasEnded = true
        case .refused: (hasEnded, waitStatus) = Processes.hasEnded(identifier)
        }
        let (isOver, isWaiting) = watching.withLock { [opened, waitStatus] watching in
            if watching.isDetached { return (true, false) }
            watching.process = opened
            watching.waitStatus = waitStatus
            return (false, beginWait(for: opened))
        }
        if !isOver { goOn(isWaiting: isWaiting, hasEnded: hasEnded, Context.current) }
    }

    // MARK: results

    /// How the process ended, in the format of wait(2), if it is known yet.
    var waitStatus: Int32? { watching.withLock { $0.readStatus() } }
}
