// Compiled once the library has what it tests: then these two lines and the last one go.
#if RINGDISPATCH_PENDING
import RingDispatch
import Testing

@Suite("DispatchQueue.asyncAndWait", .watchdog)
struct AsyncAndWaitTests {
    private struct Refusal: Error {}

    @Test("asyncAndWait returns after the block has run, with its value")  // contract 20
    func value() {
        let queue = DispatchQueue(label: "asyncAndWait.value")
        let seen = Watched<[Int]>([])
        queue.async { seen.append(1) }
        #expect(queue.asyncAndWait { seen.value } == [1])
        queue.asyncAndWait(execute: DispatchWorkItem { seen.append(2) })
        #expect(seen.value == [1, 2])
    }

    @Test("asyncAndWait throws what the block throws")  // contract 20
    func errors() {
        let queue = DispatchQueue(label: "asyncAndWait.errors")
        #expect(throws: Refusal.self) {
            try queue.asyncAndWait { throw Refusal() }
        }
    }

    @Test("The block runs in the queue's environment")  // contract 20
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

    @Test("As a barrier it runs alone on a concurrent queue")  // contract 20, 21
    func barrier() {
        let queue = DispatchQueue(label: "asyncAndWait.barrier", attributes: .concurrent)
        let finished = Watched(0)
        for _ in 0..<20 { queue.async { finished.increment() } }
        #expect(queue.asyncAndWait(flags: .barrier) { finished.value } == 20)
    }
}
#endif
