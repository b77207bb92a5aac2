internal import LinuxPlatform
internal import Synchronization

/// Runs a block once: the first caller runs it, and all others wait until it has run.
/// `dispatch_once`.
///
/// Swift's global and static `let` do the same for a value; this class is for code ported from GCD.
public final class DispatchOnce: Sendable {
    /// 0 before the block runs, 1 while it runs, 2 after it. The store of 2 (releasing) pairs with
    /// the load in `perform` (acquiring).
    private let state = Atomic<UInt8>(0)
    private let runner = Locked(Runner())

    private struct Runner: Sendable {
        var waiters = WaitList()
        var thread: UInt32 = 0
    }

    public init() {}

    /// Runs the block unless it has run before. The block has completed when this returns.
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
                return runner.waiters.removeAll()
            }
            for waiter in waiters { waiter.grant() }
        }
    }
}
