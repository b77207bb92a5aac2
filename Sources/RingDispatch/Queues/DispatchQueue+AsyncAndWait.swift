internal import LinuxPlatform

extension DispatchQueue {
    /// Submits `work` behind what the queue has already, and returns when it is done.
    ///
    /// An idle queue is taken and the work runs here, as by `sync`. Otherwise it runs where the
    /// queue's other items do, on the thread that drains the queue: the calling thread only sleeps.
    /// On the main queue it runs on the main thread. Called on the queue it would wait for itself:
    /// that is found out, and ends the process. `dispatch_async_and_wait`.
    public final func asyncAndWait<T>(execute work: () throws -> T) rethrows -> T {
        try asyncAndWait(flags: [], execute: work)
    }

    /// The same with flags.
    /// - Parameter flags: `.barrier` runs the work alone on a concurrent queue.
    ///   `dispatch_barrier_async_and_wait`.
    public final func asyncAndWait<T>(
        flags: DispatchWorkItemFlags, execute work: () throws -> T
    ) rethrows -> T {
        let asBarrier = flags.contains(.barrier)
        // Items of a concurrent queue may run concurrently.
        if kind == .concurrent, Deadlock.isOn(self, Context.current) {
            return try sync(flags: flags, execute: work)
        }
        var scope = SyncScope()
        return try withUnsafeMutablePointer(to: &scope) { scope in
            guard beginSyncIfIdle(scope, asBarrier: asBarrier) else {
                return try syncElsewhere(asBarrier: asBarrier, work, rescue: { throw $0 })
            }
            defer { endSync(scope, asBarrier: asBarrier) }
            return try work()
        }
    }
}
