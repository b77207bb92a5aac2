import Testing

@testable import RingDispatch

@Suite("DispatchSemaphore", .watchdog)
struct SemaphoreTests {
    /// One thread or another always waits.
    @Test("A list of waiting threads does not grow while it is never empty")
    func waitList() {
        let threadHandle = Context.current.pointee.threadHandle
        var list = WaitList<ThreadHandle>()
        list.append(threadHandle)
        for _ in 0..<10_000 {
            list.append(threadHandle)
            #expect(list.popFirst() == threadHandle)
        }
        let elements = Mirror(reflecting: list).descendant("elements") as? [ThreadHandle?]
        #expect(elements.map { $0.count < 100 } == true)
        #expect(list.popFirst() == threadHandle)
        #expect(list.popFirst() == nil)
    }

    @Test("34. wait takes what is there and times out when nothing is")
    func counting() {
        let semaphore = DispatchSemaphore(value: 2)
        #expect(semaphore.wait(timeout: .now()) == .success)
        #expect(semaphore.wait(timeout: .now()) == .success)
        #expect(semaphore.wait(timeout: .now()) == .timedOut)
        semaphore.signal()
        semaphore.signal()
        #expect(semaphore.wait(timeout: .now()) == .success)
        semaphore.signal()
    }

    @Test("34. A wait that times out gives its place back")
    func timeoutGivesBack() {
        let semaphore = DispatchSemaphore(value: 0)
        for _ in 0..<10 {
            #expect(semaphore.wait(timeout: .now() + .milliseconds(1)) == .timedOut)
        }
        #expect(semaphore.signal() == 0, "nobody waits any more")
        #expect(semaphore.wait(timeout: .now()) == .success)
    }

    @Test("34, 69. A wait does not end before its time-out")
    func timeout() {
        let semaphore = DispatchSemaphore(value: 0)
        let start = DispatchTime.now()
        #expect(semaphore.wait(timeout: start + .milliseconds(30)) == .timedOut)
        #expect(DispatchTime.now() >= start + .milliseconds(30))
        let wallStart = DispatchWallTime.now()
        #expect(semaphore.wait(wallTimeout: wallStart + .milliseconds(30)) == .timedOut)
        #expect(DispatchTime.now() >= start + .milliseconds(59))
    }

    @Test("34. A time-out in the past is a poll")
    func poll() {
        let semaphore = DispatchSemaphore(value: 0)
        #expect(semaphore.wait(timeout: .now() - .seconds(10)) == .timedOut)
        #expect(semaphore.wait(timeout: DispatchTime(uptimeNanoseconds: 1)) == .timedOut)
        #expect(semaphore.wait(wallTimeout: .now() - .seconds(10)) == .timedOut)
        semaphore.signal()
        #expect(semaphore.wait(timeout: .now() - .seconds(10)) == .success)
    }

    @Test("34. signal tells whether it woke a thread")
    func signalResult() {
        let semaphore = DispatchSemaphore(value: 0)
        #expect(semaphore.signal() == 0)
        semaphore.wait()
        let waiter = UserThread { semaphore.wait() }
        #expect(waiter.waitUntilAsleep())
        #expect(semaphore.signal() != 0)
        #expect(waiter.join())
    }

    @Test("34. A signal wakes one waiter")
    func wakesOne() {
        let semaphore = DispatchSemaphore(value: 0)
        let woken = Watched(0)
        let threads = startThreads(4) { _ in
            _ = semaphore.wait(timeout: .distantFuture)
            woken.increment()
        }
        for thread in threads { #expect(thread.waitUntilAsleep()) }
        for count in 1...4 {
            semaphore.signal()
            expectEventually(woken) { $0 == count }
        }
        for thread in threads { #expect(thread.join()) }
    }

    @Test("35. Any thread may signal, also one that never waited")
    func noOwner() {
        let semaphore = DispatchSemaphore(value: 0)
        let passed = Gate()
        DispatchQueue.global().async {
            semaphore.wait()
            passed.open()
        }
        DispatchQueue(label: "semaphore.signaller").async { semaphore.signal() }
        expectOpens(passed)
    }

    @Test("34. With one permit it is a mutex for concurrentPerform")
    func mutex() {
        let semaphore = DispatchSemaphore(value: 1)
        let counter = Unguarded(0)
        DispatchQueue.concurrentPerform(iterations: 10_000) { _ in
            semaphore.wait()
            counter.value += 1
            semaphore.signal()
        }
        #expect(counter.value == 10_000)
    }

    @Test("34. Two threads hand a token to and fro without losing it")
    func pingPong() {
        let ping = DispatchSemaphore(value: 0)
        let pong = DispatchSemaphore(value: 0)
        let rounds = 5000
        let thread = UserThread {
            for _ in 0..<rounds {
                ping.wait()
                pong.signal()
            }
        }
        for _ in 0..<rounds {
            ping.signal()
            if pong.wait(timeout: Patience.deadline) != .success {
                Issue.record("the token was lost")
                return
            }
        }
        #expect(thread.join())
    }

    @Test("34. Racing time-outs and signals keep the count right")
    func timeoutRace() {
        let semaphore = DispatchSemaphore(value: 0)
        let taken = Watched(0)
        let rounds = 2000
        let thread = UserThread {
            for _ in 0..<rounds
            where semaphore.wait(timeout: .now() + .microseconds(20)) == .success {
                taken.increment()
            }
        }
        for _ in 0..<rounds { semaphore.signal() }
        #expect(thread.join())
        var left = 0
        while semaphore.wait(timeout: .now()) == .success { left += 1 }
        #expect(taken.value + left == rounds)
    }

    @Test("78. Waiting items do not keep the signalling item from running")
    func blockedWorkers() {
        let semaphore = DispatchSemaphore(value: 0)
        let passed = Watched(0)
        let waiting = Watched(0)
        for _ in 0..<32 {
            DispatchQueue.global().async {
                waiting.increment()
                semaphore.wait()
                passed.increment()
            }
        }
        expectEventually(waiting) { $0 == 32 }
        DispatchQueue.global().async {
            for _ in 0..<32 { semaphore.signal() }
        }
        expectEventually(passed) { $0 == 32 }
    }
}
