import Glibc
import RingDispatch
import Testing

@Suite("The limit of threads", .watchdog)
struct WorkerLimitTests {
    /// Items block and continue repeatedly at the limit of threads: a worker that returns just when
    /// another loop was refused a worker must notice that loop.
    @Test("A loop without a thread runs when one returns")
    func limit() async {
        await #expect(processExitsWith: .success) {
            prepareForTrap()
            setenv("RINGDISPATCH_LOOPS", "2", 1)
            setenv("RINGDISPATCH_WORKERS", "3", 1)
            let late = Watched(0)
            // On a busy machine a round takes long, and fewer rounds must do.
            let end = DispatchTime.now() + .seconds(5)
            onThreads(6, seconds: 2 * Patience.seconds) { number in
                var generator = SeededGenerator(seed: UInt64(number))
                for _ in 0..<2000 where late.value == 0 && .now() < end {
                    let leave = DispatchSemaphore(value: 0)
                    let done = DispatchSemaphore(value: 0)
                    DispatchQueue.global().async {
                        leave.wait()
                        done.signal()
                    }
                    for _ in 0..<Int.random(in: 0..<8, using: &generator) { sched_yield() }
                    leave.signal()
                    if done.wait(timeout: Patience.deadline) != .success {
                        late.increment()
                    }
                }
            }
            #expect(late.value == 0)
        }
    }

    /// One of the workers may sleep in its own loop when the last free place is taken.
    @Test("At the limit, a sleeping worker takes the work of a loop whose own worker blocks")
    func sleeper() async {
        await #expect(processExitsWith: .success) {
            prepareForTrap()
            setenv("RINGDISPATCH_LOOPS", "2", 1)
            setenv("RINGDISPATCH_WORKERS", "3", 1)
            for _ in 0..<200 {
                let leave = Gate()
                let (inside, done) = (Watched(0), Watched(0))
                for _ in 0..<6 {
                    DispatchQueue.global().async {
                        inside.increment()
                        leave.pass()
                        done.increment()
                    }
                    for _ in 0..<Int.random(in: 0..<20) { sched_yield() }
                }
                expectEventually(inside) { $0 == 3 }
                leave.open()
                expectEventually(done) { $0 == 6 }
            }
        }
    }

    @Test(
        "At the limit, blocking handlers cost no CPU time",
        .disabled(if: isThreadSanitized || isAddressSanitized, "its calls cost more"))
    func quiet() async {
        await #expect(processExitsWith: .success) {
            prepareForTrap()
            setenv("RINGDISPATCH_LOOPS", "2", 1)
            setenv("RINGDISPATCH_WORKERS", "8", 1)
            let (leave, inside, done) = (Gate(), Watched(0), Watched(0))
            for _ in 0..<40 {
                DispatchQueue(label: "limit.blocked").async {
                    inside.increment()
                    leave.pass()
                    done.increment()
                }
            }
            expectEventually(inside) { $0 >= 7 }
            expectIdle(below: 75)
            leave.open()
            expectEventually(done) { $0 == 40 }
        }
    }

    @Test(
        "Work that comes while no thread can be made runs later",
        .disabled(
            if: isThreadSanitized || isAddressSanitized, "a sanitizer takes terabytes"),
        arguments: [false, true])
    func noThreads(isBackground: Bool) async {
        await #expect(processExitsWith: .success) { [isBackground] in
            prepareForTrap()
            if isBackground { drain(DispatchQueue(label: "limit.first")) }
            let (isLimited, ran) = (Gate(), Gate())
            let relief = UserThread {
                isLimited.pass()
                letTimePass(milliseconds: 200)
                limitMemory(to: .max)
            }
            // It has the memory that a new thread takes.
            #expect(relief.waitUntilAsleep())
            // Less than the stack of a thread.
            limitMemory(to: rlim_t(processKilobytes("VmSize") * 1024 + 4 << 20))
            isLimited.open()
            DispatchQueue.global(qos: isBackground ? .background : .default).async { ran.open() }
            expectOpens(ran)
            #expect(relief.join())
        }
    }
}

private func processKilobytes(_ name: String) -> Int {
    processStatus(name)?.split(separator: " ").first.flatMap { Int($0) } ?? 0
}

/// RLIMIT_AS, whose enumerator is missing.
private func limitMemory(to bytes: rlim_t) {
    var limit = rlimit(rlim_cur: bytes, rlim_max: .max)
    setrlimit(__rlimit_resource_t(9), &limit)
}
