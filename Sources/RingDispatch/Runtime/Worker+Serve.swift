internal import Ring

extension Worker {
    /// Runs the lane's turns until a stand-in has taken the lane. On entry the worker holds it.
    func serve(_ lane: Lane, _ context: Context) {
        pool.monitor.noteActivity()
        context.pointee.isInLane = true
        while true {
            collect(lane, context)
            if let job = lane.nextJob() {
                enterUser(lane, context)
                job.run(context)
                runNext(lane, context)
                if !leaveUser(lane, context) { return }
                watchAgain(lane, context)
            } else {
                idle(lane, context)
            }
        }
    }

    /// Jobs in a row that run without a turn of the lane.
    private static let nextLimit = 24

    /// Runs what the job before made ready, still as user code. What it made ready comes last, as
    /// it would on the run queue, for that was empty. Not while a watch is to be started again: its
    /// queue does not wait for the next job.
    @inline(__always)
    private func runNext(_ lane: Lane, _ context: Context) {
        var left = Worker.nextLimit
        while left > 0, context.pointee.rearm.isEmpty, lane.isHeld(by: context),
            let job = lane.takeNext()
        {
            job.run(context)
            left &-= 1
        }
    }

    // MARK: the lease around user code

    @inline(__always)
    private func enterUser(_ lane: Lane, _ context: Context) {
        let turn = context.pointee.lease >> 19 &+ 1
        let lease = Lease(.user, worker: index, turn: turn)
        context.pointee.isInLane = false
        context.pointee.lease = lease.word
        lane.setLease(lease)
    }

    /// Takes the lane back after user code; false when a stand-in has it.
    @inline(__always)
    private func leaveUser(_ lane: Lane, _ context: Context) -> Bool {
        let mine = Lease(word: context.pointee.lease)
        context.pointee.isInLane =
            lane.exchangeLease(mine, for: mine.with(.lane)) || returnToLane(lane, context, mine)
        return context.pointee.isInLane
    }

    @inline(never)
    private func returnToLane(_ lane: Lane, _ context: Context, _ mine: Lease) -> Bool {
        while true {
            let now = lane.lease
            switch now.phase {
            case .visited where now == mine.with(.visited):
                // A visitor stays for less than a microsecond, unless it was preempted.
                Threads.yield()
            case .user where now == mine:
                if lane.exchangeLease(mine, for: mine.with(.lane)) { return true }
            case .free:
                // It was lent while the thread was blocked, and nobody needed it.
                let taken = Lease(.lane, worker: index, turn: now.turn &+ 1)
                if lane.exchangeLease(now, for: taken) {
                    lane.setSleeping(false)
                    pool.noteIdle(-1)
                    context.pointee.lease = taken.word
                    return true
                }
            default:
                context.pointee.lease = 0
                while let source = context.pointee.rearm.popFirst() {
                    DescriptorSource.requestStart(source, context)
                }
                while let job = context.pointee.chunks.popFirst() {
                    job.chunk.pointee.lane.request(.giveBack(job.chunk), from: context)
                }
                return false
            }
        }
    }

    // MARK: taking in what happened

    @inline(__always)
    private func collect(_ lane: Lane, _ context: Context) {
        if let requests = lane.takeRequests() { carryOut(requests, lane, context) }
        if lane.waiting == 0 {
            lane.enqueue(all: lane.takeInbox())
            if lane.canTakeCompletions { reap(lane, context) }
        }
        if lane.isPollDue() { poll(lane, context) }
    }

    /// What a busy lane does every few turns: submits, lets the kernel finish its work, looks at
    /// the clock.
    private func poll(_ lane: Lane, _ context: Context) {
        lane.enqueue(all: lane.takeInbox())
        if lane.hasStarvedStreams { lane.beginStarvedStreams(isIdle: false, context) }
        if lane.mustLook() {
            lane.notePoll()
            lane.submit()
            reap(lane, context)
        }
        if lane.timers.earliest != .max {
            lane.timers.fireDue(now: MonotonicClock.nanoseconds(), context)
            lane.enqueue(all: lane.takeInbox())
        }
        if lane.waiting > 1 { pool.considerHelp(for: lane) }
    }

    /// Takes in one batch of completions. What they made ready runs before the next batch, while
    /// it is still in the cache.
    func reap(_ lane: Lane, _ context: Context) {
        let completions = lane.takeCompletions()
        if completions.count == 1 {
            context.pointee.arrivals.note(completions[completions.startIndex].token)
        } else if completions.count > 1 {
            context.pointee.arrivals.noteSeveral()
        }
        for completion in completions where completion.token != 0 {
            CompletionToken.deliver(completion, from: lane, context)
        }
        lane.enqueue(all: lane.takeInbox())
        if lane.waiting > 1 { lane.considerHelp() }
    }

    // MARK: watches

    @inline(__always)
    private func watchAgain(_ lane: Lane, _ context: Context) {
        while let source = context.pointee.rearm.popFirst() {
            DescriptorSource.start(source, on: lane, context)
        }
        while let job = context.pointee.chunks.popFirst() {
            lane.giveBack(job.chunk)
        }
    }

    private func carryOut(_ requests: [LaneRequest], _ lane: Lane, _ context: Context) {
        for request in requests {
            switch request {
            case .watch(let source): DescriptorSource.start(source, on: lane, context)
            case .retire(let source): source.retire()
            case .start(let operation): operation.begin(on: lane)
            case .cancel(let operation): operation.end(on: lane)
            case .beginStream(let stream): LaneStream.begin(stream, context)
            case .endStream(let stream): stream.end()
            case .giveBack(let chunk): lane.giveBack(chunk)
            }
        }
    }

    // MARK: nothing to do

    /// How long another lane's handler has run when its lane's last job is taken away.
    private static let stuckTicks = 20 * Ticks.perMicrosecond

    private func idle(_ lane: Lane, _ context: Context) {
        lane.notePoll()
        if lane.hasStarvedStreams {
            lane.beginStarvedStreams(isIdle: true, context)
            return lane.submit()
        }
        if lane.mustEnter {
            lane.submit()
            if lane.canTakeCompletions { return }
        }
        let earliest = lane.timers.earliest
        if earliest != .max {
            let now = MonotonicClock.nanoseconds()
            if earliest <= now {
                lane.timers.fireDue(now: now, context)
                return
            }
        }
        if pool.steal(for: lane, context) { return }
        if pool.isHelpUnderWay, let busy = pool.firstBusyLane(besides: lane) {
            // One job that waits behind a handler which may be done any moment is best left there.
            let start = Ticks.now()
            while Ticks.now() &- start < Worker.stuckTicks, !lane.hasNews { spinPause() }
            if lane.hasNews || pool.steal(for: lane, context, stuck: busy) { return }
        }
        let isUseful = SpinBudget.isUsefulForEvents && context.pointee.arrivals.isRoundTrip
        let mustAsk = isUseful && lane.mustAskKernel
        let hasNews = context.pointee.spin.spin(isUseful: isUseful) {
            lane.hasNews || mustAsk && ask(lane, context)
        }
        guard hasNews else { return park(lane, context) }
        if !lane.inboxIsEmpty { context.pointee.arrivals.note(ArrivalPattern.threads) }
    }

    /// Takes in what the kernel has; whether that made work.
    private func ask(_ lane: Lane, _ context: Context) -> Bool {
        lane.submit()
        reap(lane, context)
        return lane.waiting > 0 || lane.hasStarvedStreams
    }

    private func park(_ lane: Lane, _ context: Context) {
        let mine = Lease(.parked, worker: index, turn: context.pointee.lease >> 19)
        let now = MonotonicClock.nanoseconds()
        // An earlier wake-up that was planned and is no longer needed is kept: adding timers to a
        // lane that sleeps would otherwise wake it each time.
        let planned = lane.parkedUntil
        let firsts = lane.timers.firsts
        var until = firsts.deadline
        if planned > now && planned < until { until = planned }
        lane.parkedUntil = until
        pool.noteParking()
        pool.noteIdle(1)
        lane.setSleeping(true)
        lane.announceLease(mine)
        // What others pushed before they could see `parked` is seen here; the rest wakes us.
        let timersChanged = lane.timers.firsts.isBefore(firsts)
        if lane.inboxIsEmpty && !lane.hasRequests && !timersChanged {
            let start = Ticks.now()
            lane.wait(timeoutNanoseconds: until == .max ? nil : until > now ? until - now : 0)
            context.pointee.spin.slept(ticks: Ticks.now() &- start)
        }
        lane.announceLease(mine.with(.lane))
        lane.setSleeping(false)
        pool.noteIdle(-1)
        pool.monitor.noteActivity()
        if !lane.inboxIsEmpty { context.pointee.arrivals.note(ArrivalPattern.threads) }
        reap(lane, context)
    }
}
