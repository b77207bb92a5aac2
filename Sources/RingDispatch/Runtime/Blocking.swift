internal import Ring

/// What every wait of the runtime does: spin for a moment, lend the lane, sleep.
enum Blocking {
    /// Waits for the calling thread's grant; false when the deadline came first.
    static func wait(_ context: Context, deadline: UInt64? = nil) -> Bool {
        let peer = context.pointee.peer
        if context.pointee.spin.spin(until: { peer.tryTakeGrant() }) { return true }
        lendLane(context)
        let start = Ticks.now()
        defer { context.pointee.spin.slept(ticks: Ticks.now() &- start) }
        return peer.park(deadline: deadline)
    }

    /// Before a worker blocks in user code, somebody else gets its lane. It takes the lane back
    /// when it returns if nobody needed it.
    static func lendLane(_ context: Context) {
        guard context.pointee.lease != 0, let lane = context.pointee.lane, lane.isHeld(by: context)
        else { return }
        let mine = Lease(word: context.pointee.lease)
        let isNeeded = lane.isNeeded(now: MonotonicClock.nanoseconds())
        // Watches that wait for the end of the handler are those of the queue that it blocks.
        guard lane.exchangeLease(mine, for: Lease(.free, turn: mine.turn)) else { return }
        lane.setSleeping(true)
        lane.pool.noteIdle(1)
        // Looked at again now that others see the lane as free: a push from before went unheard.
        if isNeeded || !lane.inboxIsEmpty || lane.hasRequests { lane.wakeIfIdle() }
    }
}
