import Glibc
import RingDispatch
import Testing

/// Each in a process of its own, because the report is one for the process.
@Suite("Reports of handlers that run for long", .watchdog)
struct StallTests {
    @Test("A handler that blocks is reported once, with its queue and the time")
    func blocked() async {
        await #expect(processExitsWith: .success) {
            let stalls = watchStalls()
            var count = 0
            // On a busy machine, a handler may wait for a CPU before it blocks.
            let isBlocked = holdsInSomeRound {
                let label = "stall.blocked \(count)"
                let gate = Gate()
                DispatchQueue(label: label).async { gate.pass() }
                expectEventually(stalls) { $0.count > count }
                let stall = stalls.value.last
                #expect(stall?.queue == label)
                #expect((stall?.nanoseconds ?? 0) >= 50_000_000)
                letTimePass(milliseconds: 150)
                gate.open()
                count += 1
                #expect(stalls.value.count == count)
                return stall?.isComputing == false
                    && stall?.description.contains("it is blocked") == true
            }
            #expect(isBlocked, "\(stalls.value)")
        }
    }

    @Test("One that computes is reported as such")
    func computing() async {
        await #expect(processExitsWith: .success) {
            let stalls = watchStalls()
            let gate = Gate()
            DispatchQueue(label: "stall.computes").async { while !gate.wasOpened {} }
            expectEventually(stalls) { !$0.isEmpty }
            gate.open()
            #expect(stalls.value.first?.queue == "stall.computes")
            #expect(stalls.value.first?.isComputing == true)
        }
    }

    @Test("One that waits for the library, while everything else is quiet")
    func waiting() async {
        await #expect(processExitsWith: .success) {
            let stalls = watchStalls()
            let semaphore = DispatchSemaphore(value: 0)
            DispatchQueue(label: "stall.waits").async { semaphore.wait() }
            expectEventually(stalls) { !$0.isEmpty }
            semaphore.signal()
            #expect(stalls.value.first?.queue == "stall.waits")
        }
    }

    @Test("Queues that keep blocking are reported, although they are away from the loops")
    func away() async {
        await #expect(processExitsWith: .success) {
            let queue = DispatchQueue(label: "stall.away")
            for _ in 0..<20 { queue.async { usleep(20_000) } }
            queue.sync {}
            let stalls = watchStalls()
            for index in 0..<3 {
                queue.async { while stalls.value.count <= index { usleep(20_000) } }
            }
            expectEventually(stalls) { $0.count >= 3 }
            #expect(stalls.value.allSatisfy { $0.queue == "stall.away" })
        }
    }

    @Test("A handler that stays already when the reports begin, in a process that is quiet")
    func before() async {
        await #expect(processExitsWith: .success) {
            let semaphore = DispatchSemaphore(value: 0)
            let isWaiting = Gate()
            DispatchQueue(label: "stall.before").async {
                isWaiting.open()
                semaphore.wait()
            }
            expectOpens(isWaiting)
            letTimePass(milliseconds: 50)
            let stalls = watchStalls()
            expectEventually(stalls) { !$0.isEmpty }
            semaphore.signal()
            #expect(stalls.value.first?.queue == "stall.before")
        }
    }

    @Test("A worker that was idle for long is not taken for one whose handler stays")
    func idleWorkers() async {
        await #expect(processExitsWith: .success) {
            setenv("RINGDISPATCH_LOOPS", "1", 1)
            let stalls = watchStalls()
            var slowRounds = 0
            for round in 0..<10 {
                // Behind a handler that blocks, another worker is called.
                let group = DispatchGroup()
                let milliseconds = millisecondsTaken {
                    DispatchQueue(label: "stall.blocks \(round)").async(group: group) {
                        usleep(10_000)
                    }
                    DispatchQueue(label: "stall.waits \(round)").async(group: group) {}
                    group.wait()
                }
                if milliseconds >= 50 { slowRounds += 1 }
                letTimePass(milliseconds: 70)
            }
            // On a busy machine, both handlers of a round may really have stayed.
            #expect(stalls.value.count <= 2 * slowRounds, "\(stalls.value)")
        }
    }

    @Test("Short handlers are not reported, and none after the end of the reports")
    func never() async {
        await #expect(processExitsWith: .success) {
            let stalls = watchStalls()
            let queue = DispatchQueue(label: "stall.short")
            var slowRounds = 0
            for _ in 0..<10 {
                let milliseconds = millisecondsTaken {
                    for _ in 0..<5 { queue.async { usleep(1_000) } }
                    queue.sync {}
                }
                if milliseconds >= 50 { slowRounds += 1 }
            }
            // On a busy machine, the handlers of a round may really have stayed.
            #expect(stalls.value.count <= 5 * slowRounds, "\(stalls.value)")
            DispatchRuntime.reportStalls(after: .never, on: .main) { _ in }
            let later = DispatchQueue(label: "stall.later")
            later.sync { _ = usleep(150_000) }
            later.async { usleep(150_000) }
            later.sync {}
            #expect(!stalls.value.contains { $0.queue == "stall.later" })
        }
    }

    @Test("RINGDISPATCH_STALLS writes a line to standard error")
    func environment() async {
        await #expect(processExitsWith: .success) {
            setenv("RINGDISPATCH_STALLS", "50", 1)
            var ends: [Int32] = [-1, -1]
            #expect(pipe(&ends) == 0 && dup2(ends[1], STDERR_FILENO) >= 0)
            let gate = Gate()
            DispatchQueue(label: "stall.line").async { gate.pass() }
            var text = ""
            var buffer = [UInt8](repeating: 0, count: 1000)
            while !text.contains("a handler of queue 'stall.line' has run for ") {
                let count = read(ends[0], &buffer, buffer.count)
                if count > 0 { text += String(decoding: buffer[..<count], as: UTF8.self) }
            }
            gate.open()
        }
    }
}

/// How long `body` takes, and the workers until none of them is in a handler any more: one may lose
/// its CPU after what its handler did last.
private func millisecondsTaken(_ body: () -> Void) -> UInt64 {
    let start = DispatchTime.now().uptimeNanoseconds
    body()
    let isOver = poll {
        DispatchRuntime.snapshot().workerThreads.allSatisfy { $0.handlerNanoseconds == nil }
    }
    #expect(isOver, "\(DispatchRuntime.snapshot())")
    return (DispatchTime.now().uptimeNanoseconds - start) / 1_000_000
}

/// The reports about the tests' own queues. On a busy machine the handler of the reports may stay,
/// too, and so may the library's own item that ends an earlier handler.
private func watchStalls() -> Watched<[DispatchRuntime.Stall]> {
    prepareForTrap()
    let stalls = Watched<[DispatchRuntime.Stall]>([])
    let threshold = Duration.milliseconds(50)
    DispatchRuntime.reportStalls(
        after: threshold, on: DispatchQueue(label: "reports")
    ) { stall in
        // Without a label it may be one of the tests'.
        if stall.queue?.hasPrefix("stall.") != false { stalls.append(stall) }
    }
    return stalls
}
