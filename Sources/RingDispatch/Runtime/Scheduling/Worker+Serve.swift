internal import LinuxPlatform
internal import Synchronization

extension Worker {
    /// Iterates over the loop until another worker has taken it over. The worker must hold it.
    func serve(_ loop: EventLoop, _ context: Context) {
        pool.monitor.noteActivity()
        context.pointee.isInLoop = true
        while true {
            collect(loop, context)
            if let workItem = loop.nextWorkItem() {
                enterHandler(loop, context)
                QueueLayer.run(workItem, context)
                loop.submitOldSends()
                if !leaveHandler(loop, context) { return }
            } else {
                idle(loop, context)
            }
        }
    }

    // MARK: the state word around user code

    @inline(__always)
    private func enterHandler(_ loop: EventLoop, _ context: Context) {
        let turn = context.pointee.loopState >> 19 &+ 1
        let loopState = LoopState(.inHandler, worker: index, turn: turn)
        context.pointee.isInLoop = false
        context.pointee.loopState = loopState.word
        loop.setState(loopState)
    }

    /// Returns to the loop after user code. Returns false if another worker has taken it over.
    @inline(__always)
    private func leaveHandler(_ loop: EventLoop, _ context: Context) -> Bool {
        let mine = LoopState(word: context.pointee.loopState)
        context.pointee.isInLoop =
            loop.exchangeState(mine, for: mine.with(.running)) || returnToLoop(loop, context, mine)
        return context.pointee.isInLoop
    }

    @inline(never)
    private func returnToLoop(_ loop: EventLoop, _ context: Context, _ mine: LoopState) -> Bool {
        while true {
            let now = loop.loopState
            switch now.phase {
            case .stealing where now == mine.with(.stealing):
                // A steal takes microseconds, unless the thief was preempted.
                Threads.yield()
            case .inHandler where now == mine:
                if loop.exchangeState(mine, for: mine.with(.running)) { return true }
            case .idle:
                // The loop was handed off, and no other worker has taken it.
                let taken = LoopState(.running, worker: index, turn: now.turn &+ 1)
                if loop.exchangeState(now, for: taken) {
                    loop.setSleeping(false)
                    pool.monitor.noteActivity()
                    context.pointee.loopState = taken.word
                    return true
                }
            default:
                context.pointee.loopState = 0
                return false
            }
        }
    }

    // MARK: taking events in

    @inline(__always)
    private func collect(_ loop: EventLoop, _ context: Context) {
        loop.enqueueInbox()
        if loop.isPollDue() { poll(loop, context) }
    }

    /// Every few iterations of a busy loop: takes events in, fires timers.
    private func poll(_ loop: EventLoop, _ context: Context) {
        // The worker has not slept for some time.
        context.pointee.hasSleptLong = false
        loop.submitSends()
        fetchIfDue(loop, context)
        if loop.timers.earliest != .max {
            loop.timers.fireDue(now: MonotonicClock.nanoseconds(), context)
            loop.enqueueInbox()
        }
        if loop.waiting > 1 { pool.considerHelp(for: loop) }
    }

    /// Takes in the events of the last wait. The work that they made ready runs before the next
    /// wait, while it is in the cache.
    private func deliver(_ count: Int, _ loop: EventLoop, _ context: Context) {
        if count == 1 { context.pointee.arrivals.note(loop.readiness.sender(of: 0)) }
        for index in 0..<count { loop.readiness.deliver(index, context) }
        loop.enqueueInbox()
        if loop.waiting > 1 { loop.considerHelp() }
    }

    // MARK: idle

    private func idle(_ loop: EventLoop, _ context: Context) {
        loop.submitSends()
        // A connection whose bytes did not all leave.
        if loop.waiting > 0 { return }
        if fireDueTimers(loop, context) || pool.steal(for: loop) {
            if loop.waiting > 1 { loop.considerHelp() }
            // Timers that are always due, and other loops' work, must not keep events out.
            return fetchIfDue(loop, context)
        }
        if pool.help.isUnderWay, let busy = pool.firstBusyLoop(besides: loop) {
            // Leave a single item alone while the handler before it may end at any moment.
            let start = Ticks.now()
            while Ticks.now() &- start < Tuning.stuckTicks, loop.inboxIsEmpty { spinPause() }
            if !loop.inboxIsEmpty || pool.steal(for: loop, stuck: busy) { return }
        }
        let isUseful =
            SpinBudget.isUsefulForEvents && context.pointee.arrivals.isRoundTrip
            && !context.pointee.hasSleptLong
        let mustFetch = isUseful && loop.hasWaits
        let hasEvents = context.pointee.spin.spin(isUseful: isUseful) {
            !loop.inboxIsEmpty || mustFetch && fetch(loop, context)
        }
        guard hasEvents else { return park(loop, context) }
        if !loop.inboxIsEmpty { context.pointee.arrivals.note(ArrivalPattern.threads) }
    }

    /// Fires the timers that are due. Returns whether there were any.
    private func fireDueTimers(_ loop: EventLoop, _ context: Context) -> Bool {
        let earliest = loop.timers.earliest
        guard earliest != .max else { return false }
        let now = MonotonicClock.nanoseconds()
        guard earliest <= now else { return false }
        loop.timers.fireDue(now: now, context)
        return true
    }

    private func fetchIfDue(_ loop: EventLoop, _ context: Context) {
        if loop.isFetchDue() { deliver(loop.wait(timeoutNanoseconds: 0), loop, context) }
    }

    /// Takes in events that have arrived. Returns whether they made work ready.
    private func fetch(_ loop: EventLoop, _ context: Context) -> Bool {
        deliver(loop.wait(timeoutNanoseconds: 0), loop, context)
        return loop.waiting > 0
    }

    private func park(_ loop: EventLoop, _ context: Context) {
        let mine = LoopState(.parked, worker: index, turn: context.pointee.loopState >> 19)
        let now = MonotonicClock.nanoseconds()
        // Keep an earlier wake-up that is no longer needed: otherwise each timer added to the
        // sleeping loop would wake it.
        let planned = loop.parkedUntil
        let firsts = loop.timers.firsts
        var until = firsts.deadline
        if planned > now && planned < until { until = planned }
        loop.parkedUntil = until
        pool.help.ended()
        loop.setSleeping(true)
        loop.announceState(mine)
        // Store-then-check with `inbox` and the timers: earlier work is seen here, later work wakes
        // the worker.
        let timersChanged = loop.timers.firsts.isBefore(firsts)
        var events = 0
        if loop.inboxIsEmpty && !timersChanged {
            if context.pointee.hasSleptLong { pool.monitor.noteQuiet() }
            let start = Ticks.now()
            events = loop.wait(
                timeoutNanoseconds: until == .max ? nil : until > now ? until - now : 0)
            let end = Ticks.now()
            let slept = end &- start
            if Trace.isOn {
                Trace.record(.wait, .loop(loop.index), from: start, to: end, context)
            }
            if events == 0, until < .max { noteLateness(until) }
            context.pointee.spin.slept(ticks: slept)
            context.pointee.hasSleptLong = slept > Tuning.longSleepTicks
        }
        loop.announceState(mine.with(.running))
        loop.setSleeping(false)
        pool.monitor.noteActivity()
        if !loop.inboxIsEmpty { context.pointee.arrivals.note(ArrivalPattern.threads) }
        deliver(events, loop, context)
    }

    /// Counts a sleep that ended too late: the kernel's fault, or the machine's.
    private func noteLateness(_ until: UInt64) {
        let now = MonotonicClock.nanoseconds()
        if now > until && now - until > Tuning.lateness {
            pool.counters.lateWakeUps.wrappingAdd(1, ordering: .relaxed)
        }
    }
}
