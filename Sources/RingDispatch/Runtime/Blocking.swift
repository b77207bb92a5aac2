internal import LinuxPlatform

/// What every wait of the runtime does: spin for a moment, lend the loop, sleep.
enum Blocking {
    /// Waits for the calling thread's grant; false when the deadline came first.
    static func wait(_ context: Context, deadline: UInt64? = nil) -> Bool {
        let threadHandle = context.pointee.threadHandle
        if context.pointee.spin.spin(until: { threadHandle.tryTakeGrant() }) { return true }
        handOffLoop(context)
        let start = Ticks.now()
        defer { context.pointee.spin.slept(ticks: Ticks.now() &- start) }
        return threadHandle.park(deadline: deadline)
    }

    /// Before a worker blocks in user code, somebody else gets its loop. It takes the loop back
    /// when it returns if nobody needed it.
    static func handOffLoop(_ context: Context) {
        guard context.pointee.loopState != 0, let loop = context.pointee.loop,
            loop.isHeld(by: context)
        else { return }
        let mine = LoopState(word: context.pointee.loopState)
        let isNeeded = loop.isNeeded(now: MonotonicClock.nanoseconds())
        // Watches that wait for the end of the handler are those of the queue that it blocks.
        guard loop.exchangeState(mine, for: LoopState(.idle, turn: mine.turn)) else { return }
        loop.setSleeping(true)
        loop.pool.noteIdle(1)
        // Looked at again now that others see the loop as free: a push from before went unheard.
        if isNeeded || !loop.inboxIsEmpty || loop.hasRequests { loop.wakeIfIdle() }
    }
}
