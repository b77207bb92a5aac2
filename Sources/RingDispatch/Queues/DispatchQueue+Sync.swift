internal import LinuxPlatform
internal import Synchronization

extension DispatchQueue {
    /// Runs `work` on the queue and returns when it is done, nearly always on the calling thread.
    ///
    /// Calling this on the queue itself would deadlock, and ends the process. `dispatch_sync`.
    @inlinable
    public final func sync<T>(execute work: () throws -> T) rethrows -> T {
        var frame = Frame(sync: self)
        return try withUnsafeMutablePointer(to: &frame) { frame in
            guard beginSync(frame, asBarrier: false) else {
                return try syncElsewhere(asBarrier: false, work, rescue: { throw $0 })
            }
            defer { endSync(frame, asBarrier: false) }
            return try work()
        }
    }

    /// Runs a block on the queue and returns when it is done.
    @inlinable
    public final func sync(execute block: () -> Void) {
        var frame = Frame(sync: self)
        withUnsafeMutablePointer(to: &frame) { frame in
            guard beginSync(frame, asBarrier: false) else {
                syncElsewhere(asBarrier: false, block)
                return
            }
            block()
            endSync(frame, asBarrier: false)
        }
    }

    /// Runs `work` on the queue with flags, and returns when it is done.
    /// - Parameters:
    ///   - flags: `.barrier` runs the work alone on a concurrent queue.
    ///   - work: what it returns or throws is returned or thrown to the caller.
    @inlinable
    public final func sync<T>(
        flags: DispatchWorkItemFlags, execute work: () throws -> T
    ) rethrows -> T {
        let asBarrier = flags.contains(.barrier)
        var frame = Frame(sync: self)
        return try withUnsafeMutablePointer(to: &frame) { frame in
            guard beginSync(frame, asBarrier: asBarrier) else {
                return try syncElsewhere(asBarrier: asBarrier, work, rescue: { throw $0 })
            }
            defer { endSync(frame, asBarrier: asBarrier) }
            return try work()
        }
    }

    // MARK: on the calling thread

    /// Locks the queue and its targets; false if the work must run on the main thread instead.
    @usableFromInline
    final func beginSync(_ frame: UnsafeMutablePointer<Frame>, asBarrier: Bool) -> Bool {
        let context = Context.current
        if isThreadBound { return false }
        if kind != .global {
            lock(asBarrier: asBarrier, context)
            if let target { target.lockHierarchy(context) }
        }
        frame.pointee.parent = context.pointee.frame
        context.pointee.frame = frame
        return true
    }

    /// Like `beginSync`, but false also if the queue or one of its targets is not idle.
    final func beginSyncIfIdle(
        _ frame: UnsafeMutablePointer<Frame>, asBarrier: Bool
    ) -> Bool {
        let context = Context.current
        if isThreadBound { return false }
        guard kind == .global || tryLockHierarchy(asBarrier: asBarrier, context) else {
            return false
        }
        frame.pointee.parent = context.pointee.frame
        context.pointee.frame = frame
        return true
    }

    @usableFromInline
    final func endSync(_ frame: UnsafeMutablePointer<Frame>, asBarrier: Bool) {
        let context = Context.current
        context.pointee.frame = context.pointee.frame?.pointee.parent
        if kind == .global { return }
        if let target { target.unlockHierarchy(context) }
        unlock(asBarrier: asBarrier, context)
    }

    private final func lockHierarchy(_ context: Context) {
        lock(asBarrier: false, context)
        target?.lockHierarchy(context)
    }

    private final func tryLockHierarchy(asBarrier: Bool, _ context: Context) -> Bool {
        let isShared = kind == .concurrent && !asBarrier
        guard isShared ? tryLockShared(context) : tryLockExclusive(context) else { return false }
        guard let target, !target.tryLockHierarchy(asBarrier: false, context) else { return true }
        unlock(asBarrier: asBarrier, context)
        return false
    }

    private final func unlockHierarchy(_ context: Context) {
        target?.unlockHierarchy(context)
        unlock(asBarrier: false, context)
    }

    /// Locks the queue: exclusively, or shared with other readers of a concurrent queue.
    @inline(__always)
    final func lock(asBarrier: Bool, _ context: Context) {
        if kind == .concurrent && !asBarrier {
            if !tryLockShared(context) { lockSlowly(isExclusive: false, context) }
        } else if !tryLockExclusive(context) {
            lockSlowly(isExclusive: true, context)
        }
    }

    @inline(__always)
    final func unlock(asBarrier: Bool, _ context: Context) {
        if kind == .concurrent && !asBarrier {
            leaveShared(context)
            return
        }
        let (exchanged, _) = state.compareExchange(
            expected: UInt64(context.pointee.identifier), desired: 0, ordering: .releasing)
        if !exchanged { unlockSlowly(context) }
    }

    // A queue that is free may have items in its inbox, also older ones of the caller: the first to
    // push there calls `wakeUp`, and may not have done so yet. They go first.

    @inline(__always)
    private final func tryLockExclusive(_ context: Context) -> Bool {
        let (exchanged, _) = state.compareExchange(
            expected: 0, desired: UInt64(context.pointee.identifier), ordering: .acquiring)
        guard exchanged else { return false }
        if incoming.isEmpty { return true }
        unlock(asBarrier: true, context)
        return false
    }

    @inline(__always)
    private final func tryLockShared(_ context: Context) -> Bool {
        var old = state.load(ordering: .relaxed)
        while old & ~QueueState.sharedMask == 0,
            QueueState(old).running < QueueState.maximumRunning
        {
            let (exchanged, original) = state.weakCompareExchange(
                expected: old, desired: old + QueueState.oneRunning, ordering: .acquiring)
            if exchanged {
                if incoming.isEmpty { return true }
                leaveShared(context)
                return false
            }
            old = original
        }
        return false
    }

    // MARK: waiting

    @inline(never)
    private final func lockSlowly(isExclusive: Bool, _ context: Context) {
        let hasLocked = context.pointee.spin.spin {
            guard state.load(ordering: .relaxed) & ~QueueState.sharedMask == 0 else {
                return false
            }
            return isExclusive ? tryLockExclusive(context) : tryLockShared(context)
        }
        if hasLocked { return }
        // After the spin: a lock that is free soon costs no check.
        if enterAgain(isExclusive: isExclusive, context) { return }
        let workItem = context.pointee.items.make(
            SubmittedItem(
                kind: .waiter, priority: priority, isBarrier: isExclusive && kind == .concurrent,
                object: context.pointee.threadHandle.address))
        push(workItem, context)
        Deadlock.wait(for: self, context)
    }

    /// Before a `sync` on a queue that the thread is already on: a reader may enter again, all else
    /// would deadlock and traps.
    private final func enterAgain(isExclusive: Bool, _ context: Context) -> Bool {
        Deadlock.trapIfOwned(self, context)
        guard kind == .concurrent, Deadlock.isOn(self, context) else { return false }
        guard !isExclusive else {
            fatalMisuse(
                "deadlock: sync(flags: .barrier) on concurrent queue '\(label)' from an item that "
                    + "runs on it")
        }
        change { state in
            guard state.running < QueueState.runningCapacity else {
                fatalMisuse("too many nested sync calls on concurrent queue '\(label)'")
            }
            state.word += QueueState.oneRunning
        }
        return true
    }

    @inline(never)
    private final func unlockSlowly(_ context: Context) {
        while true {
            var hasItems = false
            change { state in
                hasItems = state.isDirty && !state.isStopped
                if !hasItems { state.owner = 0 }
            }
            if !hasItems { return }
            guard let workItem = firstItem() else {
                change { $0.clear(QueueState.dirty) }
                // This check sees any push that was made before the bit was cleared.
                if !incoming.isEmpty { change { $0.set(QueueState.dirty) } }
                continue
            }
            if workItem.pointee.kind == .waiter
                && (workItem.pointee.isBarrier || kind != .concurrent)
            {
                _ = front.popFirst()
                handOver(to: workItem, context)
                return
            }
            change { state in
                state.owner = 0
                state.clear(QueueState.dirty)
                state.set(QueueState.enqueued)
            }
            enqueueSelf(priority: max(priority, workItem.pointee.priority), context)
            return
        }
    }

    // MARK: on the main thread

    /// Runs the work on the thread that drains the queue, and waits for it.
    @usableFromInline
    final func syncElsewhere<T>(
        asBarrier: Bool, _ work: () throws -> T, rescue: (any Error) throws -> T
    ) rethrows -> T {
        var result: Result<T, any Error>?
        syncElsewhere(asBarrier: asBarrier) {
            do { result = .success(try work()) } catch { result = .failure(error) }
        }
        switch result {
        case .success(let value): return value
        case .failure(let error): return try rescue(error)
        case nil: preconditionFailure("the work has not run")
        }
    }

    @usableFromInline
    final func syncElsewhere(asBarrier: Bool, _ work: () -> Void) {
        let context = Context.current
        Deadlock.trapIfOwned(self, context)
        if Deadlock.isOn(self, context) { Deadlock.trap(self) }
        let threadHandle = context.pointee.threadHandle
        withoutActuallyEscaping(work) { work in
            let call = WaitedCall(
                work,
                Frame(
                    queue: Unmanaged.passUnretained(self), parent: context.pointee.frame,
                    isDrain: false))
            let workItem = context.pointee.items.make(
                SubmittedItem(
                    kind: .block, priority: priority, isBarrier: asBarrier && kind == .concurrent,
                    block: {
                        call.run()
                        threadHandle.grant()
                    }))
            push(workItem, context)
            Deadlock.wait(for: self, context)
        }
    }
}

/// A waiting thread's closure, which another thread calls once. It is on the queues of the waiting
/// thread, too.
private final class WaitedCall: Sendable {
    // Safety: the waiting thread, whose frames these are, continues only after `run` has returned.
    private nonisolated(unsafe) var work: (() -> Void)?
    private nonisolated(unsafe) var frame: Frame

    init(_ work: @escaping () -> Void, _ frame: Frame) {
        self.work = work
        self.frame = frame
    }

    /// Calls the closure and releases it before the wait ends.
    @inline(never)
    func run() {
        guard let work = work.take() else { return }
        let context = Context.current
        let outer = context.pointee.frame
        withUnsafeMutablePointer(to: &frame) {
            context.pointee.frame = $0
            work()
        }
        context.pointee.frame = outer
    }
}
