import Glibc
import RingDispatch
import Synchronization
import Testing

@Suite("DispatchQueue.concurrentPerform", .watchdog)
struct ConcurrentPerformTests {
    @Test("43, 44. Each index is passed exactly once", arguments: [1, 2, 3, 1000, 100_000])
    func indices(iterations: Int) {
        let slots = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: iterations)
        slots.initialize(repeating: 0)
        defer { slots.deallocate() }
        // Safety: each index is written by one iteration only, and all end before the call does.
        nonisolated(unsafe) let shared = slots
        DispatchQueue.concurrentPerform(iterations: iterations) { shared[$0] += 1 }
        #expect(slots.allSatisfy { $0 == 1 })
    }

    @Test("43. Zero iterations do nothing")
    func none() {
        let ran = Atomic<Int>(0)
        DispatchQueue.concurrentPerform(iterations: 0) { _ in ran.add(1, ordering: .relaxed) }
        #expect(ran.load(ordering: .relaxed) == 0)
    }

    @Test("43. It returns only after the last iteration has")
    func blocks() {
        for _ in 0..<200 {
            let finished = Atomic<Int>(0)
            DispatchQueue.concurrentPerform(iterations: 8) { _ in
                finished.add(1, ordering: .relaxed)
            }
            #expect(finished.load(ordering: .relaxed) == 8)
        }
        // The last iteration is held up.
        let leave = Gate()
        let hasReturned = Watched(false)
        let caller = UserThread {
            DispatchQueue.concurrentPerform(iterations: 8) { if $0 == 7 { leave.pass() } }
            hasReturned.update { $0 = true }
        }
        #expect(caller.waitUntilAsleep())
        expectStays(hasReturned, at: false)
        leave.open()
        #expect(caller.join())
    }

    @Test("43. All iterations belong to a global queue, on whichever thread")
    func queue() {
        let key = DispatchSpecificKey<Int>()
        let queue = DispatchQueue(label: "caller")
        queue.setSpecific(key: key, value: 1)
        let labels = Watched<Set<String>>([])
        queue.sync {
            DispatchQueue.concurrentPerform(iterations: 8) { _ in
                #expect(DispatchQueue.getSpecific(key: key) == nil)
                labels.update { $0.insert(DispatchQueue.currentLabel) }
            }
            #expect(DispatchQueue.getSpecific(key: key) == 1)
        }
        #expect(labels.value == [DispatchQueue.global().label])
    }

    @Test("43. Three nested levels run every combination")
    func nested() {
        let count = Atomic<Int>(0)
        DispatchQueue.concurrentPerform(iterations: 32) { _ in
            DispatchQueue.concurrentPerform(iterations: 32) { _ in
                DispatchQueue.concurrentPerform(iterations: 32) { _ in
                    count.add(1, ordering: .relaxed)
                }
            }
        }
        #expect(count.load(ordering: .relaxed) == 32 * 32 * 32)
    }

    @Test("43. The caller takes part, so it ends while all workers are busy")
    func busyWorkers() async {
        // In a process of its own, which may have no more workers than these.
        await #expect(processExitsWith: .success) {
            prepareForTrap()
            setenv("RINGDISPATCH_LOOPS", "2", 1)
            setenv("RINGDISPATCH_WORKERS", "3", 1)
            let leave = Gate()
            let inside = Watched(0)
            for _ in 0..<16 {
                DispatchQueue.global().async {
                    inside.increment()
                    leave.pass()
                }
            }
            expectEventually(inside) { $0 == 3 }
            expectStays(inside, at: 3)
            let count = Atomic<Int>(0)
            DispatchQueue.concurrentPerform(iterations: 100) { _ in
                count.add(1, ordering: .relaxed)
            }
            #expect(count.load(ordering: .relaxed) == 100)
            #expect(inside.value == 3)
            leave.open()
            expectEventually(inside) { $0 == 16 }
        }
    }

    enum Place: CaseIterable {
        case here
        case nested
        case onSerialQueue
    }

    /// Also with one loop: see `Scripts/verify.sh loops`.
    @Test(
        "43. Two neighbouring iterations may wait for each other", arguments: Place.allCases,
        [0, 31, 62])
    func meeting(place: Place, first: Int) {
        let perform = { @Sendable in
            let arrived = Watched(0)
            DispatchQueue.concurrentPerform(iterations: 64) { index in
                guard index == first || index == first + 1 else { return }
                arrived.increment()
                expectEventually(arrived) { $0 == 2 }
            }
        }
        switch place {
        case .here: perform()
        case .nested: DispatchQueue.concurrentPerform(iterations: 2) { _ in perform() }
        case .onSerialQueue:
            let ended = Gate()
            DispatchQueue(label: "apply.meeting").async {
                perform()
                ended.open()
            }
            expectOpens(ended)
        }
    }

    @Test("44. It works inside an item of a serial queue, beside others")
    func insideItems() {
        let group = DispatchGroup()
        let sums = Watched(0)
        for number in 0..<8 {
            DispatchQueue(label: "apply.\(number)").async(group: group) {
                let local = Atomic<Int>(0)
                DispatchQueue.concurrentPerform(iterations: 100) { index in
                    local.add(index, ordering: .relaxed)
                }
                sums.increment(by: local.load(ordering: .relaxed))
            }
        }
        #expect(group.wait(timeout: Patience.deadline) == .success)
        #expect(sums.value == 8 * 4950)
    }

    @Test("43. Iterations that use sync on one queue end")
    func withSync() {
        let queue = DispatchQueue(label: "apply.sync")
        let counter = Unguarded(0)
        DispatchQueue.concurrentPerform(iterations: 1000) { _ in
            queue.sync { counter.value += 1 }
        }
        #expect(queue.sync { counter.value } == 1000)
    }

    @Test("43. No more threads take part than there are event loops, or iterations")
    func threads() {
        let loops = DispatchRuntime.snapshot().loops.filter { !$0.isBackground }.count
        let threads = Watched<Set<Int32>>([])
        DispatchQueue.concurrentPerform(iterations: 64) { _ in
            let identifier = currentThreadIdentifier()
            threads.update { _ = $0.insert(identifier) }
        }
        #expect(threads.value.count <= max(loops, 2))
        let few = Watched<Set<Int32>>([])
        DispatchQueue.concurrentPerform(iterations: 2) { _ in
            let identifier = currentThreadIdentifier()
            few.update { _ = $0.insert(identifier) }
        }
        #expect(few.value.count <= 2)
    }
}
