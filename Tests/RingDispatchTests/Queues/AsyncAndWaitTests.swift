import RingDispatch
import Testing

@Suite("DispatchQueue.asyncAndWait", .watchdog)
struct AsyncAndWaitTests {
    private struct Refusal: Error {}

    @Test("20. asyncAndWait returns after the block has run, with its value")
    func value() {
        let queue = DispatchQueue(label: "asyncAndWait.value")
        let seen = Watched<[Int]>([])
        queue.async { seen.append(1) }
        #expect(queue.asyncAndWait { seen.value } == [1])
        queue.asyncAndWait(execute: DispatchWorkItem { seen.append(2) })
        #expect(seen.value == [1, 2])
    }

    @Test("20. asyncAndWait throws what the block throws")
    func errors() {
        let queue = DispatchQueue(label: "asyncAndWait.errors")
        #expect(throws: Refusal.self) {
            try queue.asyncAndWait { throw Refusal() }
        }
    }

    @Test("20. The block runs in the queue's environment")
    func environment() {
        let queue = DispatchQueue(label: "asyncAndWait.environment")
        let key = DispatchSpecificKey<Int>()
        queue.setSpecific(key: key, value: 20)
        let found = queue.asyncAndWait { () -> Int? in
            dispatchPrecondition(condition: .onQueue(queue))
            return DispatchQueue.getSpecific(key: key)
        }
        #expect(found == 20)
    }

    @Test("20, 21. As a barrier it runs alone on a concurrent queue")
    func barrier() {
        let queue = DispatchQueue(label: "asyncAndWait.barrier", attributes: .concurrent)
        let finished = Watched(0)
        for _ in 0..<20 { queue.async { finished.increment() } }
        #expect(queue.asyncAndWait(flags: .barrier) { finished.value } == 20)
    }

    @Test("28. The block is on the caller's queues, too, busy or not", arguments: [false, true])
    func callersQueues(isBusy: Bool) {
        let outer = DispatchQueue(label: "asyncAndWait.outer")
        let inner = DispatchQueue(label: "asyncAndWait.inner")
        if isBusy { inner.suspend() }
        let count = Watched(0)
        outer.async {
            count.increment()
            inner.asyncAndWait {
                dispatchPrecondition(condition: .onQueue(inner))
                dispatchPrecondition(condition: .onQueue(outer))
            }
            dispatchPrecondition(condition: .notOnQueue(inner))
            count.increment()
        }
        if isBusy {
            expectEventually(count) { $0 == 1 }
            #expect(poll { "\(inner.debugDescription)".contains("items waiting") })
            inner.resume()
        }
        expectEventually(count) { $0 == 2 }
    }

    @Test("20. On a busy queue the block runs behind the others, on a thread of the queue")
    func busy() {
        let queue = DispatchQueue(label: "asyncAndWait.busy")
        let order = Watched<[Int]>([])
        let inside = Gate()
        let leave = Gate()
        queue.async {
            inside.open()
            leave.pass()
            order.append(1)
        }
        expectOpens(inside)
        queue.async { order.append(2) }
        let thread = UserThread {
            let caller = currentThreadIdentifier()
            let runner = queue.asyncAndWait {
                order.append(3)
                return currentThreadIdentifier()
            }
            #expect(runner != caller)
        }
        #expect(thread.waitUntilAsleep())
        leave.open()
        #expect(thread.join())
        #expect(order.value == [1, 2, 3])
    }

    @Test("7, 20. It waits while the queue, or its target, is suspended")
    func suspended() {
        let target = DispatchQueue(label: "asyncAndWait.target")
        let queue = DispatchQueue(label: "asyncAndWait.suspended", target: target)
        for suspended in [queue, target] {
            // The target's running item, which drains the queue, continues.
            drain(target)
            suspended.suspend()
            let ran = Watched(false)
            let thread = UserThread { queue.asyncAndWait { ran.update { $0 = true } } }
            #expect(thread.waitUntilAsleep())
            #expect(!ran.value)
            suspended.resume()
            #expect(thread.join())
            #expect(ran.value)
        }
    }

    @Test("20. An item of a concurrent queue may wait for another one of it")
    func nested() {
        let queue = DispatchQueue(label: "asyncAndWait.nested", attributes: .concurrent)
        let done = Gate()
        queue.async {
            #expect(queue.asyncAndWait { 20 } == 20)
            done.open()
        }
        expectOpens(done)
        #expect(DispatchQueue.global().asyncAndWait { 20 } == 20)
    }

    @Test("20. Threads that all wait for one queue run one at a time, each once")
    func contended() {
        let target = DispatchQueue(label: "asyncAndWait.shared")
        let queues = (0..<2).map { DispatchQueue(label: "asyncAndWait.\($0)", target: target) }
        let count = Unguarded(0)
        onThreads(4) { index in
            for _ in 0..<500 { queues[index % 2].asyncAndWait { count.value += 1 } }
        }
        #expect(target.sync { count.value } == 2000)
    }

    @Test("20. On the main queue the block runs on the main thread")
    func main() async {
        await #expect(processExitsWith: .success) {
            withMainQueueServed {
                DispatchQueue.global().async {
                    endProcess(succeedingIf: DispatchQueue.main.asyncAndWait { isOnMainThread })
                }
            }
        }
    }

    @Test("16, 20. Waiting for the queue that the caller is on traps")
    func deadlock() async {
        let result = await #expect(processExitsWith: .failure, observing: lastWords) {
            prepareForTrap()
            let queue = DispatchQueue(label: "asyncAndWait.deadlock")
            queue.sync { queue.asyncAndWait {} }
        }
        expectMessage(result, naming: "deadlock", "asyncAndWait.deadlock")
    }

    @Test("20, 21. A barrier from an item of the same concurrent queue traps")
    func barrierDeadlock() async {
        let result = await #expect(processExitsWith: .failure, observing: lastWords) {
            prepareForTrap()
            let queue = DispatchQueue(label: "asyncAndWait.reader", attributes: .concurrent)
            queue.sync { queue.asyncAndWait(flags: .barrier) {} }
        }
        expectMessage(result, naming: "deadlock", "asyncAndWait.reader")
    }
}
