import Glibc
import RingDispatch
import Testing

@Suite("Worker threads", .watchdog)
struct WorkerTests {
    @Test("11, 78. Four hundred blocked serial queues do not stop the next one")
    func blockedSerialQueues() {
        let leave = Gate()
        let inside = Watched(0)
        let left = Watched(0)
        for number in 0..<400 {
            DispatchQueue(label: "worker.blocked.\(number)").async {
                inside.increment()
                leave.pass()
                left.increment()
            }
        }
        expectEventually(inside) { $0 == 400 }
        let ran = Gate()
        DispatchQueue(label: "worker.next").async { ran.open() }
        expectOpens(ran)
        leave.open()
        expectEventually(left) { $0 == 400 }
    }

    @Test("11, 78. Items blocked on a global queue do not stop the next one")
    func blockedGlobal() {
        let leave = Gate()
        let inside = Watched(0)
        for _ in 0..<64 {
            DispatchQueue.global().async {
                inside.increment()
                leave.pass()
            }
        }
        expectEventually(inside) { $0 == 64 }
        let ran = Gate()
        DispatchQueue.global().async { ran.open() }
        expectOpens(ran)
        leave.open()
    }

    @Test("In a quiet process, a handler that submits one item wakes no other worker")
    func quiet() async {
        await #expect(processExitsWith: .success) {
            prepareForTrap()
            setenv("RINGDISPATCH_LOOPS", "2", 1)
            let items = Watched(0)
            let other = DispatchQueue(label: "worker.other")
            let ticks = DispatchSource.makeTimerSource(queue: DispatchQueue(label: "worker.ticks"))
            ticks.schedule(deadline: .now(), repeating: .milliseconds(5))
            ticks.setEventHandler { other.async { items.increment() } }
            ticks.activate()
            // The first sleeps are not known to be long, and a busy machine stretches handlers.
            var wakeUps = 20
            let end = DispatchTime.now() + .seconds(Patience.seconds)
            while wakeUps >= 10, .now() < end {
                let (count, before) = (items.value, DispatchRuntime.snapshot().wakeUps)
                expectEventually(items) { $0 >= count + 20 }
                wakeUps = DispatchRuntime.snapshot().wakeUps - before
            }
            #expect(wakeUps < 10, "20 items cost \(wakeUps) wake-ups")
            ticks.cancel()
        }
    }

    @Test("78. An item that computes for long does not stop the others")
    func computing() {
        let stop = Gate()
        let spinning = Watched(0)
        for number in 0..<8 {
            DispatchQueue(label: "worker.spin.\(number)").async {
                spinning.increment()
                while !stop.wasOpened { sched_yield() }
            }
        }
        expectEventually(spinning) { $0 == 8 }
        let ran = Gate()
        DispatchQueue(label: "worker.beside").async { ran.open() }
        expectOpens(ran)
        stop.open()
    }

    @Test("15, 78. Items blocked in sync behind each other all get through")
    func blockedInSync() {
        let gatekeeper = DispatchQueue(label: "worker.gatekeeper")
        let leave = Gate()
        let through = Watched(0)
        let asking = Watched(0)
        gatekeeper.async { leave.pass() }
        for number in 0..<32 {
            DispatchQueue(label: "worker.sync.\(number)").async {
                asking.increment()
                gatekeeper.sync { _ = through.increment() }
            }
        }
        expectEventually(asking) { $0 == 32 }
        expectStays(through, at: 0)
        leave.open()
        expectEventually(through) { $0 == 32 }
    }

    @Test("82. Workers leave the process's signals to its other threads, but for a profiler's")
    func signalMask() {
        let blocked = Watched<[Int32]?>(nil)
        DispatchQueue.global().async {
            var mask = sigset_t()
            pthread_sigmask(SIG_SETMASK, nil, &mask)
            let found = [SIGINT, SIGTERM, SIGUSR1, SIGCHLD, SIGSEGV, SIGPROF].filter {
                sigismember(&mask, $0) == 1
            }
            blocked.update { $0 = found }
        }
        expectEventually(blocked) { $0 != nil }
        #expect(blocked.value == [SIGINT, SIGTERM, SIGUSR1, SIGCHLD])
    }

    @Test("13. Queues can be used from any thread of the user's")
    func userThreads() {
        let queue = DispatchQueue(label: "worker.foreign")
        let ran = Watched(0)
        onThreads(16) { _ in
            for _ in 0..<100 { queue.async { ran.increment() } }
            queue.sync { _ = ran.increment() }
        }
        expectEventually(ran) { $0 == 1616 }
    }
}
