internal import LinuxPlatform

/// The steps of every wait in the runtime: spin briefly, hand off the loop, sleep.
package enum Blocking {
    /// For handlers of the library that make a blocking call: the calling handler blocks from now
    /// on, probably until it returns. Its loop is handed off at once, instead of after the
    /// monitor's next tick.
    package static func begin() { handOffLoop(Context.current) }

    /// Waits for the calling thread's grant. Returns false if the deadline passed first.
    static func wait(_ context: Context, deadline: UInt64 = .max) -> Bool {
        let threadHandle = context.pointee.threadHandle
        if context.pointee.spin.spin(until: { threadHandle.tryTakeGrant() }) { return true }
        return sleep(context, deadline: deadline)
    }

    /// The same for a thread that has spun already.
    static func sleep(_ context: Context, deadline: UInt64 = .max) -> Bool {
        handOffLoop(context)
        let start = Ticks.now()
        defer { context.pointee.spin.slept(ticks: Ticks.now() &- start) }
        return context.pointee.threadHandle.park(deadline: deadline)
    }

    /// Hands the loop off before the worker blocks in user code. On its return the worker takes the
    /// loop back if no other worker has taken it.
    static func handOffLoop(_ context: Context) {
        // A last reference that the loop's own code releases may run a deinitializer that blocks:
        // the loop's lists are in use then.
        guard !context.pointee.isInLoop else { return }
        guard context.pointee.loopState != 0, let loop = context.pointee.loop else { return }
        let mine = LoopState(word: context.pointee.loopState)
        func isHeld() -> Bool {
            let loopState = loop.loopState
            return loopState == mine || loopState == mine.with(.stealing)
        }
        guard isHeld() else { return }
        loop.submitSends()
        context.pointee.worker?.observe(
            context.pointee.threadHandle.item, now: MonotonicClock.nanoseconds())
        while !loop.exchangeState(mine, for: LoopState(.idle, turn: mine.turn)) {
            // A steal takes microseconds, unless the thief was preempted.
            guard isHeld() else { return }
            Threads.yield()
        }
        loop.setSleeping(true)
        // Store-then-check with `inbox`, the waits and the timers: a producer that saw the loop in
        // use woke no worker.
        if loop.isNeeded { loop.wake() }
    }
}
