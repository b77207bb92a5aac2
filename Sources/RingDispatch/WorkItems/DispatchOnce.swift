internal import LinuxPlatform
internal import Synchronization

/// Runs a block once: the first caller runs it, and all others wait until it has run.
/// `dispatch_once`.
///
/// For code ported from GCD; new code can use a global or static `let`.
public final class DispatchOnce: Sendable {
    /// 1 while the block runs, 2 afterwards. The store of 2 (releasing) pairs with the load in
    /// `perform` (acquiring).
    private let state = Atomic<UInt8>(0)
    private let runner = Locked(Runner())

    private struct Runner: Sendable {
        var waiters: [ThreadHandle] = []
        var thread: UInt32 = 0
    }

    /// Creates an object whose block has not run. It corresponds to a `dispatch_once_t` of 0.
    public init() {}

    /// Runs the block, unless it has run before. On return the block has completed.
    public func perform(_ block: () -> Void) {
        if state.load(ordering: .acquiring) == 2 { return }
        performSlowly(block)
    }

    /// Calls `perform`.
    public func callAsFunction(_ block: () -> Void) { perform(block) }

    @inline(never)
    private func performSlowly(_ block: () -> Void) {
        let context = Context.current
        let threadHandle = context.pointee.threadHandle
        enum Part { case runs, waits, isDone }
        let part = runner.withLock { runner -> Part in
            if state.load(ordering: .acquiring) == 2 { return .isDone }
            if state.load(ordering: .relaxed) == 0 {
                state.store(1, ordering: .relaxed)
                runner.thread = threadHandle.identifier
                return .runs
            }
            if runner.thread == threadHandle.identifier {
                fatalMisuse("deadlock: a DispatchOnce was performed from inside its own block")
            }
            runner.waiters.append(threadHandle)
            return .waits
        }
        switch part {
        case .isDone: break
        case .waits: _ = Blocking.wait(context)
        case .runs:
            block()
            let waiters = runner.withLock { runner in
                state.store(2, ordering: .releasing)
                defer { runner.waiters = [] }
                return runner.waiters
            }
            for waiter in waiters { waiter.grant() }
        }
    }
}
