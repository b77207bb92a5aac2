import Glibc
import RingDispatch
import Testing

@Suite("Handlers that keep blocking", .watchdog)
struct AwayWorkTests {
    @Test("A queue whose handlers keep blocking holds its loop up once")
    func serial() async {
        await #expect(processExitsWith: .success) {
            let queue = DispatchQueue(label: "away.blocks")
            #expect((1...20).contains(takeOvers { queue.async(execute: $0) }))
        }
    }

    @Test("Blocks of a global queue that keep blocking hold the loops up once")
    func global() async {
        await #expect(processExitsWith: .success) {
            #expect((1...20).contains(takeOvers { DispatchQueue.global().async(execute: $0) }))
        }
    }

    @Test("So do barriers")
    func barriers() async {
        await #expect(processExitsWith: .success) {
            let queue = DispatchQueue(label: "away.barriers", attributes: .concurrent)
            let count = takeOvers { queue.async(flags: .barrier, execute: $0) }
            #expect((1...20).contains(count))
        }
    }

    @Test("So does a serial queue whose target is a concurrent one")
    func serialOnConcurrent() async {
        await #expect(processExitsWith: .success) {
            let target = DispatchQueue(label: "away.target", attributes: .concurrent)
            let queue = DispatchQueue(label: "away.serial", target: target)
            #expect((1...20).contains(takeOvers { queue.async(execute: $0) }))
        }
    }

    @Test("So do handlers of sources on a global queue")
    func sources() async {
        await #expect(processExitsWith: .success) {
            var sources: [any DispatchSourceUserDataAdd] = []
            let count = takeOvers { handler in
                let source = DispatchSource.makeUserDataAddSource()
                source.setEventHandler(handler: handler)
                source.activate()
                source.add(data: 1)
                sources.append(source)
            }
            #expect((1...20).contains(count))
        }
    }

    @Test("So does a queue that a sync takes after each handler")
    func syncBetween() async {
        await #expect(processExitsWith: .success) {
            let queue = DispatchQueue(label: "away.sync")
            let count = takeOvers { handler in
                queue.async(execute: handler)
                queue.sync {}
            }
            #expect((1...20).contains(count))
        }
    }

    @Test("So does a queue that each of its handlers suspends")
    func suspending() async {
        await #expect(processExitsWith: .success) {
            let queue = DispatchQueue(label: "away.suspends")
            queue.suspend()
            let count = takeOvers { handler in
                queue.async {
                    queue.suspend()
                    handler()
                }
                queue.resume()
            }
            queue.resume()
            #expect((1...20).contains(count))
        }
    }

    @Test("So does one whose handlers compute before they block, beside many that block")
    func computingFirst() async {
        await #expect(processExitsWith: .success) {
            let queue = DispatchQueue(label: "away.computes.first")
            var isFirst = true
            let count = takeOvers { handler in
                if exchange(&isFirst, with: false) { blockForever(8) }
                queue.async {
                    compute(milliseconds: 2)
                    handler()
                }
            }
            #expect((1...30).contains(count))
        }
    }

    @Test("What a queue that is away submits runs in order")
    func order() async {
        await #expect(processExitsWith: .success) {
            let queue = DispatchQueue(label: "away.order")
            let seen = Watched<[Int]>([])
            _ = takeOvers { handler in
                let number = seen.value.count
                queue.async(execute: handler)
                queue.async { seen.update { $0.append(number) } }
            }
            drain(queue)
            #expect(seen.value.count > 50)
            #expect(seen.value == seen.value.sorted())
        }
    }

    @Test("A queue that blocked once comes back to the loops")
    func comingBack() async {
        await #expect(processExitsWith: .success) {
            prepareForTrap()
            setenv("RINGDISPATCH_LOOPS", "1", 1)
            let queue = DispatchQueue(label: "away.back")
            _ = blockOnce(queue)
            let isBack = poll {
                for _ in 0..<40 { drain(queue) }
                let isOnLoop = Watched<Bool?>(nil)
                queue.async {
                    let thread = currentThreadIdentifier()
                    let isShown = DispatchRuntime.snapshot().loops.contains { $0.thread == thread }
                    isOnLoop.update { $0 = isShown }
                }
                expectEventually(isOnLoop) { $0 != nil }
                return isOnLoop.value == true
            }
            #expect(isBack)
        }
    }

    @Test("Away handlers that compute do not stop other away queues")
    func computing() async {
        await #expect(processExitsWith: .success) {
            let queues = (0..<70).map { DispatchQueue(label: "away.compute.\($0)") }
            for queue in queues { _ = takeOvers(of: 3) { queue.async(execute: $0) } }
            let stop = Gate()
            let (computing, ended) = (Watched(0), Watched(0))
            for queue in queues.dropLast() {
                queue.async {
                    computing.increment()
                    while !stop.wasOpened { sched_yield() }
                    ended.increment()
                }
            }
            expectEventually(computing) { $0 == 69 }
            drain(queues[69])
            stop.open()
            expectEventually(ended) { $0 == 69 }
        }
    }

    @Test("Workers that are not needed any more end")
    func ending() async {
        await #expect(processExitsWith: .success) {
            prepareForTrap()
            setenv("RINGDISPATCH_LOOPS", "2", 1)
            blockAtOnce(50) { #expect(DispatchRuntime.snapshot().workers >= 50) }
            #expect(poll { DispatchRuntime.snapshot().workers <= 3 })
            // Those that are left serve the loops.
            drain(DispatchQueue(label: "away.after"))
        }
    }

    @Test("Many queues that block for the first time cost few take-overs")
    func many() async {
        await #expect(processExitsWith: .success) {
            prepareForTrap()
            setenv("RINGDISPATCH_LOOPS", "1", 1)
            blockAtOnce(100) { #expect(DispatchRuntime.snapshot().takeOvers < 20) }
        }
    }

    @Test("At the limit of workers, what waits behind handlers that block does not leave the loop")
    func atTheLimit() async {
        await #expect(processExitsWith: .success) {
            prepareForTrap()
            setenv("RINGDISPATCH_LOOPS", "1", 1)
            setenv("RINGDISPATCH_WORKERS", "2", 1)
            let (begun, leave, ran, ended) = (Gate(), Gate(), Gate(), Gate())
            let busy = DispatchQueue(label: "away.limit.busy")
            @Sendable func keepBusy() { busy.async { if !ran.wasOpened { keepBusy() } } }
            DispatchQueue(label: "away.limit.first").async {
                begun.open()
                leave.pass()
                ended.open()
            }
            expectOpens(begun)
            DispatchQueue(label: "away.limit.second").async {
                letTimePass(milliseconds: 50)
                keepBusy()
            }
            DispatchQueue(label: "away.limit.third").async { ran.open() }
            expectOpens(ran)
            leave.open()
            expectOpens(ended)
        }
    }

    @Test("In a quiet process the monitor sleeps through the events")
    func quiet() async {
        await #expect(processExitsWith: .success) {
            prepareForTrap()
            setenv("RINGDISPATCH_LOOPS", "1", 1)
            let fired = Watched(0)
            let timer = DispatchSource.makeTimerSource(queue: DispatchQueue(label: "away.quiet"))
            timer.schedule(deadline: .now(), repeating: .milliseconds(5))
            timer.start { fired.increment() }
            expectEventually(fired) { $0 >= 10 }
            // Each event would take several, if the monitor went on for a while. On a busy machine
            // the process is not quiet all the time.
            let isQuiet = holdsInSomeRound {
                let (sleeps, count) = (monitorSleeps(), fired.value)
                expectEventually(fired) { $0 >= count + 100 }
                let events = fired.value - count
                return monitorSleeps() - sleeps < events
            }
            #expect(isQuiet)
            timer.cancel()
        }
    }

    @Test("A handler that blocks after a quiet time holds its loop up for milliseconds only")
    func afterQuietTime() async {
        await #expect(processExitsWith: .success) {
            prepareForTrap()
            setenv("RINGDISPATCH_LOOPS", "1", 1)
            // A busy machine may hold one round up.
            let isShort = holdsInSomeRound {
                beQuiet()
                return blockOnce(DispatchQueue(label: "away.after.quiet")) < 500_000_000
            }
            #expect(isShort)
        }
    }
}

/// Lets handlers of as many new queues block, all at once, during `body`.
private func blockAtOnce(_ count: Int, _ body: () -> Void) {
    let leave = Gate()
    let (inside, left) = (Watched(0), Watched(0))
    for number in 0..<count {
        DispatchQueue(label: "away.many.\(number)").async {
            inside.increment()
            leave.pass()
            left.increment()
        }
    }
    expectEventually(inside) { $0 == count }
    body()
    leave.open()
    expectEventually(left) { $0 == count }
}

/// Lets only a timer fire, until the monitor's first tick comes late.
private func beQuiet() {
    let fired = Watched(0)
    let timer = DispatchSource.makeTimerSource(queue: DispatchQueue(label: "away.quiet"))
    timer.schedule(deadline: .now(), repeating: .milliseconds(2))
    timer.start { fired.increment() }
    expectEventually(fired) { $0 >= 100 }
    timer.cancel()
}

private func blockForever(_ count: Int) {
    let begun = Watched(0)
    let end = DispatchSemaphore(value: 0)
    for number in 0..<count {
        DispatchQueue(label: "away.blocked.\(number)").async {
            begun.increment()
            end.wait()
        }
    }
    expectEventually(begun) { $0 == count }
}

private func compute(milliseconds: Int) {
    func used() -> Int {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return time.tv_sec * 1000 + time.tv_nsec / 1_000_000
    }
    let start = used()
    while used() - start < milliseconds {}
}

/// Lets a handler of the queue block until other work has run beside it. Returns how long that work
/// waited, in nanoseconds.
private func blockOnce(_ queue: DispatchQueue) -> UInt64 {
    let (begun, beside, leave) = (Gate(), Gate(), Gate())
    queue.async {
        begun.open()
        leave.pass()
    }
    expectOpens(begun)
    let start = DispatchTime.now().uptimeNanoseconds
    DispatchQueue(label: "away.beside").async { beside.open() }
    expectOpens(beside)
    let waited = DispatchTime.now().uptimeNanoseconds - start
    leave.open()
    drain(queue)
    return waited
}

/// Lets handlers block for 2 ms, one after the other, while other work waits for the only loop.
/// Returns how often the loop was taken over.
private func takeOvers(
    of count: Int = 60, whenBlocking submit: (@escaping @Sendable () -> Void) -> Void
) -> Int {
    prepareForTrap()
    setenv("RINGDISPATCH_LOOPS", "1", 1)
    let other = DispatchQueue(label: "away.other")
    let before = DispatchRuntime.snapshot().takeOvers
    for _ in 0..<count {
        let done = Gate()
        let beside = Gate()
        submit {
            other.async { beside.open() }
            letTimePass(milliseconds: 2)
            expectOpens(beside)
            done.open()
        }
        expectOpens(done)
    }
    return DispatchRuntime.snapshot().takeOvers - before
}

private func monitorSleeps() -> Int {
    threadIdentifiers().reduce(0) { sum, thread in
        let place = "self/task/\(thread)"
        guard processStatus("Name", of: place) == "ring-monitor" else { return sum }
        return sum + (processStatus("voluntary_ctxt_switches", of: place).flatMap { Int($0) } ?? 0)
    }
}
