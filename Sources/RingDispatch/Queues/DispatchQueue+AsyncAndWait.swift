extension DispatchQueue {
    /// Submits `work` behind the queue's items, and returns when it is done.
    ///
    /// On an idle queue the work runs on the calling thread, as with `sync`; otherwise on the
    /// thread that drains the queue (for the main queue, the main thread). Calling this on the
    /// queue itself would deadlock, and ends the process. `dispatch_async_and_wait`.
    public final func asyncAndWait<T>(execute work: () throws -> T) rethrows -> T {
        try asyncAndWait(flags: [], execute: work)
    }

    /// Submits `work` with flags, and returns when it is done. `dispatch_barrier_async_and_wait`.
    /// - Parameters:
    ///   - flags: `.barrier` runs the work alone on a concurrent queue.
    ///   - work: what it returns or throws is returned or thrown to the caller.
    public final func asyncAndWait<T>(
        flags: DispatchWorkItemFlags, execute work: () throws -> T
    ) rethrows -> T {
        let asBarrier = flags.contains(.barrier)
        // An item of a concurrent queue may run beside its waiting caller, so `sync` decides.
        if kind == .concurrent, Deadlock.isOn(self, Context.current) {
            return try sync(flags: flags, execute: work)
        }
        var frame = Frame(sync: self)
        return try withUnsafeMutablePointer(to: &frame) { frame in
            guard beginSyncIfIdle(frame, asBarrier: asBarrier) else {
                return try syncElsewhere(asBarrier: asBarrier, work, rescue: { throw $0 })
            }
            defer { endSync(frame, asBarrier: asBarrier) }
            return try work()
        }
    }
}
