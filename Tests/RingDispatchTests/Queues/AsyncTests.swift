@testable import RingDispatch
import Synchronization
import Testing

@Suite("DispatchQueue.async", .watchdog)
struct AsyncTests {
    @Test("13. A serial queue runs its items in the order in which they were queued")
    func order() {
        let queue = DispatchQueue(label: "async.order")
        let seen = Watched<[Int]>([])
        for number in 0..<1000 {
            queue.async { seen.append(number) }
        }
        expectEventually(seen) { $0.count == 1000 }
        #expect(seen.value == Array(0..<1000))
    }

    @Test("13. Each producer's items stay in order, and items never overlap")
    func producers() {
        let queue = DispatchQueue(label: "async.producers")
        let running = Atomic<Int>(0)
        let overlaps = Atomic<Int>(0)
        let seen = Watched<[Int: [Int]]>([:])
        onThreads(4) { producer in
            for number in 0..<2000 {
                queue.async {
                    if running.add(1, ordering: .relaxed).oldValue != 0 {
                        overlaps.add(1, ordering: .relaxed)
                    }
                    seen.update { $0[producer, default: []].append(number) }
                    running.subtract(1, ordering: .relaxed)
                }
            }
        }
        expectEventually(seen) { $0.values.reduce(0) { $0 + $1.count } == 8000 }
        for producer in 0..<4 {
            #expect(seen.value[producer] == Array(0..<2000))
        }
        #expect(overlaps.load(ordering: .relaxed) == 0)
    }

    @Test("13. An item that an item queues runs after everything queued before it")
    func nested() {
        let queue = DispatchQueue(label: "async.nested")
        let seen = Watched<[String]>([])
        let bothQueued = Gate()
        queue.async {
            bothQueued.pass()
            queue.async { seen.append("nested") }
            seen.append("first")
        }
        queue.async { seen.append("second") }
        bothQueued.open()
        expectEventually(seen) { $0.count == 3 }
        #expect(seen.value == ["first", "second", "nested"])
    }

    @Test("13. A queue whose last reference is gone still runs what it holds")
    func retainsQueue() {
        let ran = Watched(0)
        let mayRun = Gate()
        do {
            let queue = DispatchQueue(label: "async.retain")
            queue.async { mayRun.pass() }
            for _ in 0..<10 { queue.async { ran.increment() } }
        }
        mayRun.open()
        expectEventually(ran) { $0 == 10 }
    }

    @Test("13. An item lets go of its captures once it has run")
    func releasesCaptures() {
        let queue = DispatchQueue(label: "async.captures")
        let released = Gate()
        let canary = Watched<Canary?>(Canary { released.open() })
        queue.async { [canary = canary.value] in withExtendedLifetime(canary) {} }
        canary.update { $0 = nil }
        expectOpens(released)
    }

    @Test("13. A concurrent queue starts an item while another one is blocked")
    func concurrent() {
        let queue = DispatchQueue(label: "async.concurrent", attributes: .concurrent)
        let first = Gate()
        let second = Gate()
        queue.async {
            first.open()
            second.pass()
        }
        queue.async {
            first.pass()
            second.open()
        }
        expectOpens(second)
    }

    @Test("13. Different serial queues run beside each other")
    func independentQueues() {
        let one = Gate()
        let other = Gate()
        let met = Watched(0)
        DispatchQueue(label: "async.one").async {
            one.open()
            other.pass()
            met.increment()
        }
        DispatchQueue(label: "async.other").async {
            other.open()
            one.pass()
            met.increment()
        }
        expectEventually(met) { $0 == 2 }
    }

    @Test(
        "13, 76. A global queue runs items of every class",
        arguments: [
            DispatchQoS.QoSClass.background, .utility, .default, .userInitiated, .userInteractive,
            .unspecified,
        ])
    func global(qosClass: DispatchQoS.QoSClass) {
        let ran = Gate()
        DispatchQueue.global(qos: qosClass).async { ran.open() }
        expectOpens(ran)
    }

    @Test("41, 76. async accepts quality of service and flags together")
    func options() {
        let queue = DispatchQueue(label: "async.options", qos: .utility)
        let seen = Watched<[Int]>([])
        queue.async(qos: .userInitiated, flags: .enforceQoS) { seen.append(0) }
        queue.async(qos: .background, flags: .inheritQoS) { seen.append(1) }
        queue.async(flags: [.noQoS, .detached]) { seen.append(2) }
        queue.async(flags: [.assignCurrentContext]) { seen.append(3) }
        queue.async(flags: .barrier) { seen.append(4) }
        expectEventually(seen) { $0.count == 5 }
        #expect(Set(seen.value) == Set(0..<5))
    }

    @Test("asyncUnsafe takes a block that is not Sendable, and is async in all else")
    func unsafely() {
        final class Log { var entries: [Int] = [] }
        let queue = DispatchQueue(label: "async.unsafe")
        let log = Log()
        let group = DispatchGroup()
        for number in 0..<10 { queue.asyncUnsafe(group: group) { log.entries.append(number) } }
        #expect(group.wait(timeout: Patience.deadline) == .success)
        #expect(queue.sync { log.entries } == Array(0..<10))
    }

    @Test("25. More items than a concurrent queue starts at once run beside one that stays")
    func manyBesideOne() {
        let queue = DispatchQueue(label: "async.many", attributes: .concurrent)
        let hasBegun = Gate()
        let mayEnd = Gate()
        queue.async {
            hasBegun.open()
            mayEnd.pass()
        }
        expectOpens(hasBegun)
        queue.suspend()
        let ran = Watched(0)
        let count = 3 * QueueState.maximumRunning
        for _ in 0..<count { queue.async { ran.increment() } }
        queue.resume()
        expectEventually(ran) { $0 == count }
        mayEnd.open()
        queue.sync(flags: .barrier) {}
    }
}
