import Glibc
import RingDispatch
import Testing

@Suite("DispatchQueue.sync", .watchdog)
struct SyncTests {
    private struct Refusal: Error, Equatable { let number: Int }

    @Test("14. sync runs the block on the calling thread")
    func callingThread() {
        let caller = pthread_self()
        let serial = DispatchQueue(label: "sync.thread")
        let concurrent = DispatchQueue(label: "sync.thread.concurrent", attributes: .concurrent)
        #expect(serial.sync { pthread_self() } == caller)
        #expect(concurrent.sync { pthread_self() } == caller)
        #expect(concurrent.sync(flags: .barrier) { pthread_self() } == caller)
        #expect(DispatchQueue.global().sync { pthread_self() } == caller)
    }

    @Test("14. sync may change the caller's variables and returns the block's value")
    func value() {
        let queue = DispatchQueue(label: "sync.value")
        var counter = 0
        queue.sync { counter += 1 }
        let text = queue.sync { () -> String in
            counter += 1
            return "counter \(counter)"
        }
        #expect(text == "counter 2")
    }

    @Test("14. sync throws what the block throws, and frees the queue")
    func errors() {
        let queue = DispatchQueue(label: "sync.errors")
        #expect(throws: Refusal(number: 1)) {
            try queue.sync { throw Refusal(number: 1) }
        }
        #expect(throws: Refusal(number: 2)) {
            try queue.sync(flags: .barrier) { throw Refusal(number: 2) }
        }
        #expect(queue.sync { 3 } == 3)
    }

    @Test(
        "sync takes every flag",
        arguments: [
            [], .barrier, .detached, .assignCurrentContext, .noQoS, .inheritQoS, .enforceQoS,
            [.barrier, .noQoS],
        ] as [DispatchWorkItemFlags])
    func flags(flags: DispatchWorkItemFlags) {
        let serial = DispatchQueue(label: "sync.flags")
        let concurrent = DispatchQueue(label: "sync.flags.concurrent", attributes: .concurrent)
        #expect(serial.sync(flags: flags) { 1 } == 1)
        #expect(concurrent.sync(flags: flags) { 2 } == 2)
        #expect(DispatchQueue.global().sync(flags: flags) { 3 } == 3)
    }

    @Test("15. sync waits for what was queued before it")
    func afterAsync() {
        let queue = DispatchQueue(label: "sync.after")
        let seen = Watched<[Int]>([])
        for number in 0..<100 { queue.async { seen.append(number) } }
        #expect(queue.sync { seen.value.count } == 100)
    }

    @Test("15. A waiting sync keeps its place in the queue")
    func fifo() {
        let queue = DispatchQueue(label: "sync.fifo")
        let seen = Watched<[String]>([])
        let mayRun = Gate()
        queue.async { mayRun.pass() }
        queue.async { seen.append("before") }
        let thread = UserThread { queue.sync { seen.append("sync") } }
        #expect(thread.waitUntilAsleep())
        queue.async { seen.append("after") }
        mayRun.open()
        expectEventually(seen) { $0.count == 3 }
        #expect(seen.value == ["before", "sync", "after"])
    }

    @Test("15. A waiting sync runs its block on its own thread")
    func contendedThread() {
        let queue = DispatchQueue(label: "sync.contended")
        let mayRun = Gate()
        let threads = Watched<[Int32]>([])
        queue.async { mayRun.pass() }
        let thread = UserThread {
            let caller = currentThreadIdentifier()
            queue.sync { threads.update { $0 = [caller, currentThreadIdentifier()] } }
        }
        #expect(thread.waitUntilAsleep())
        mayRun.open()
        #expect(thread.join())
        #expect(threads.value.count == 2 && threads.value.first == threads.value.last)
    }

    @Test("15. sync from many threads excludes them from one another")
    func exclusion() {
        let queue = DispatchQueue(label: "sync.exclusion")
        let counter = Unguarded(0)
        onThreads(4) { _ in
            for _ in 0..<5000 { queue.sync { counter.value += 1 } }
        }
        #expect(queue.sync { counter.value } == 20_000)
    }

    @Test("13, 15. sync and async on one queue exclude each other")
    func mixedExclusion() {
        let queue = DispatchQueue(label: "sync.mixed")
        let counter = Unguarded(0)
        onThreads(4) { _ in
            for round in 0..<2000 {
                if round.isMultiple(of: 2) {
                    queue.sync { counter.value += 1 }
                } else {
                    queue.async { counter.value += 1 }
                }
            }
        }
        #expect(queue.sync { counter.value } == 8000)
    }

    @Test("18. A blocked sync on a global queue holds nobody up")
    func globalWithoutLock() {
        let inside = Gate()
        let leave = Gate()
        let thread = UserThread {
            DispatchQueue.global().sync {
                inside.open()
                leave.pass()
            }
        }
        expectOpens(inside)
        #expect(DispatchQueue.global().sync { true })
        leave.open()
        #expect(thread.join())
    }

    @Test("17, 29. sync to another queue from inside an item works, and back again")
    func nested() {
        let outer = DispatchQueue(label: "sync.outer")
        let inner = DispatchQueue(label: "sync.inner")
        let result = Watched<[Int]>([])
        outer.async {
            inner.sync { result.append(1) }
            result.append(2)
        }
        inner.async { result.append(0) }
        expectEventually(result) { $0.count == 3 }
        #expect(result.value.filter { $0 != 0 } == [1, 2])
    }

    @Test("19, 40. sync performs a work item")
    func workItem() {
        let queue = DispatchQueue(label: "sync.item")
        let ran = Watched(0)
        let item = DispatchWorkItem { ran.increment() }
        queue.sync(execute: item)
        #expect(ran.value == 1)
        #expect(item.wait(timeout: .now()) == .success)
    }

    @Test("14, 25. A sync reader gets into a concurrent queue beside a blocked one")
    func readers() {
        let queue = DispatchQueue(label: "sync.readers", attributes: .concurrent)
        let inside = Watched(0)
        let leave = Gate()
        let threads = startThreads(40) { _ in
            queue.sync {
                inside.increment()
                leave.pass()
            }
        }
        expectEventually(inside) { $0 == 40 }
        leave.open()
        for thread in threads { #expect(thread.join()) }
    }
}
