import RingDispatch
import Synchronization
import Testing

@Suite("Barriers", .watchdog)
struct BarrierTests {
    @Test("21. A barrier waits for earlier items, runs alone and holds back later ones")
    func order() {
        let queue = DispatchQueue(label: "barrier.order", attributes: .concurrent)
        let before = Watched(0)
        let after = Watched(0)
        let seenByBarrier = Watched<[Int]>([])
        let mayRun = Gate()
        for _ in 0..<8 {
            queue.async {
                mayRun.pass()
                before.increment()
            }
        }
        queue.async(flags: .barrier) {
            seenByBarrier.update { $0 = [before.value, after.value] }
        }
        for _ in 0..<8 { queue.async { after.increment() } }
        expectStays(after, at: 0, "an item overtook the barrier")
        mayRun.open()
        expectEventually(after) { $0 == 8 }
        #expect(seenByBarrier.value == [8, 0])
    }

    @Test("21. A waiting barrier holds back a later sync reader")
    func lateReader() {
        let queue = DispatchQueue(label: "barrier.reader", attributes: .concurrent)
        let seen = Watched<[String]>([])
        let inside = Gate()
        let mayRun = Gate()
        queue.async {
            inside.open()
            mayRun.pass()
        }
        expectOpens(inside)
        queue.async(flags: .barrier) { seen.append("barrier") }
        let reader = UserThread { queue.sync { seen.append("reader") } }
        #expect(reader.waitUntilAsleep())
        mayRun.open()
        #expect(reader.join())
        #expect(seen.value == ["barrier", "reader"])
    }

    @Test("21. A sync barrier waits for the readers inside")
    func syncBarrier() {
        let queue = DispatchQueue(label: "barrier.sync", attributes: .concurrent)
        let finished = Watched(0)
        let mayRun = Gate()
        let inside = Watched(0)
        for _ in 0..<4 {
            queue.async {
                inside.increment()
                mayRun.pass()
                finished.increment()
            }
        }
        expectEventually(inside) { $0 == 4 }
        let seen = Watched(-1)
        let writer = UserThread {
            queue.sync(flags: .barrier) { seen.update { $0 = finished.value } }
        }
        #expect(writer.waitUntilAsleep())
        mayRun.open()
        #expect(writer.join())
        #expect(seen.value == 4)
    }

    @Test("22. On a global queue a barrier is an ordinary item")
    func globalQueue() {
        let inside = Gate()
        let leave = Gate()
        DispatchQueue.global().async {
            inside.open()
            leave.pass()
        }
        expectOpens(inside)
        let ran = Gate()
        DispatchQueue.global().async(flags: .barrier) { ran.open() }
        expectOpens(ran, "the barrier waited for another item of the global queue")
        #expect(DispatchQueue.global().sync(flags: .barrier) { true })
        leave.open()
    }

    @Test("24. A barrier on one queue does not hold up its sibling on the same target")
    func siblings() {
        let target = DispatchQueue(label: "barrier.target", attributes: .concurrent)
        let one = DispatchQueue(label: "barrier.one", attributes: .concurrent, target: target)
        let other = DispatchQueue(label: "barrier.other", attributes: .concurrent, target: target)
        let inside = Gate()
        let leave = Gate()
        one.async(flags: .barrier) {
            inside.open()
            leave.pass()
        }
        expectOpens(inside)
        let ran = Gate()
        other.async { ran.open() }
        expectOpens(ran)
        leave.open()
    }

    @Test("21. There is one writer at a time and nobody beside it", arguments: [false, true])
    func readersAndWriters(throughTarget: Bool) {
        let target = DispatchQueue(label: "barrier.rw.target", attributes: .concurrent)
        let queue = DispatchQueue(
            label: "barrier.rw", attributes: .concurrent, target: throughTarget ? target : nil)
        let readers = Atomic<Int>(0)
        let writers = Atomic<Int>(0)
        let faults = Atomic<Int>(0)
        let written = Unguarded(0)
        onThreads(4) { _ in
            for round in 0..<1000 {
                queue.sync {
                    readers.add(1, ordering: .sequentiallyConsistent)
                    if writers.load(ordering: .sequentiallyConsistent) != 0 {
                        faults.add(1, ordering: .relaxed)
                    }
                    readers.subtract(1, ordering: .sequentiallyConsistent)
                }
                guard round.isMultiple(of: 4) else { continue }
                queue.async(flags: .barrier) {
                    let others = writers.add(1, ordering: .sequentiallyConsistent).oldValue
                    if others + readers.load(ordering: .sequentiallyConsistent) != 0 {
                        faults.add(1, ordering: .relaxed)
                    }
                    written.value += 1
                    writers.subtract(1, ordering: .sequentiallyConsistent)
                }
            }
        }
        #expect(queue.sync(flags: .barrier) { written.value } == 1000)
        #expect(faults.load(ordering: .relaxed) == 0)
    }

    @Test("21. A barrier work item is a barrier when it is queued")
    func workItem() {
        let queue = DispatchQueue(label: "barrier.item", attributes: .concurrent)
        let before = Watched(0)
        for _ in 0..<20 { queue.async { before.increment() } }
        let seen = Watched(-1)
        queue.async(
            execute: DispatchWorkItem(flags: .barrier) {
                dispatchPrecondition(condition: .onQueueAsBarrier(queue))
                seen.update { $0 = before.value }
            })
        expectEventually(seen) { $0 == 20 }
    }
}
