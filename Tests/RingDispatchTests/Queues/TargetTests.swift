import RingDispatch
import Synchronization
import Testing

@Suite("Target queues", .watchdog)
struct TargetTests {
    @Test("7, 17. Queues on one serial target never run beside each other")
    func exclusion() {
        let target = DispatchQueue(label: "target.serial")
        let counter = Unguarded(0)
        let running = Atomic<Int>(0)
        let overlaps = Atomic<Int>(0)
        let finished = Watched(0)
        let attributes: [DispatchQueue.Attributes] = [[], .concurrent, [], .concurrent]
        for (number, attributes) in attributes.enumerated() {
            let queue = DispatchQueue(
                label: "target.child.\(number)", attributes: attributes, target: target)
            for _ in 0..<500 {
                queue.async {
                    if running.add(1, ordering: .relaxed).oldValue != 0 {
                        overlaps.add(1, ordering: .relaxed)
                    }
                    counter.value += 1
                    running.subtract(1, ordering: .relaxed)
                    finished.increment()
                }
            }
        }
        expectEventually(finished) { $0 == 2000 }
        #expect(overlaps.load(ordering: .relaxed) == 0)
        #expect(target.sync { counter.value } == 2000)
    }

    @Test("17. sync through a chain of serial targets excludes items of all of them")
    func syncChain() {
        let root = DispatchQueue(label: "target.root")
        let middle = DispatchQueue(label: "target.middle", target: root)
        let leaf = DispatchQueue(label: "target.leaf", target: middle)
        let counter = Unguarded(0)
        let threads = [root, middle, leaf].map { queue in
            UserThread {
                for round in 0..<1000 {
                    if round.isMultiple(of: 3) {
                        queue.async { counter.value += 1 }
                    } else {
                        queue.sync { counter.value += 1 }
                    }
                }
            }
        }
        for thread in threads { #expect(thread.join()) }
        for queue in [leaf, middle, root] { queue.sync {} }
        #expect(root.sync { counter.value } == 3000)
    }

    @Test("A queue whose target is set back to none is not bound to the main thread")
    func targetSetBack() {
        let queue = DispatchQueue(
            label: "target.back", attributes: [.concurrent, .initiallyInactive], target: .main)
        queue.setTarget(queue: nil)
        queue.activate()
        let isInside = Gate()
        queue.async { queue.sync { isInside.open() } }
        expectOpens(isInside)
    }

    @Test("13. Items keep their order through a target")
    func order() {
        let target = DispatchQueue(label: "target.order", attributes: .concurrent)
        let queue = DispatchQueue(label: "target.order.child", target: target)
        let seen = Watched<[Int]>([])
        for number in 0..<500 { queue.async { seen.append(number) } }
        expectEventually(seen) { $0.count == 500 }
        #expect(seen.value == Array(0..<500))
    }

    @Test("24. A concurrent queue on a concurrent target stays concurrent")
    func concurrent() {
        let target = DispatchQueue(label: "target.wide", attributes: .concurrent)
        let queue = DispatchQueue(label: "target.child", attributes: .concurrent, target: target)
        let inside = Watched(0)
        let leave = Gate()
        for _ in 0..<4 {
            queue.async {
                inside.increment()
                leave.pass()
            }
        }
        expectEventually(inside) { $0 == 4 }
        leave.open()
    }

    @Test("21. A barrier of the target excludes the items of the queues above it")
    func targetBarrier() {
        let target = DispatchQueue(label: "target.barrier", attributes: .concurrent)
        let child = DispatchQueue(label: "target.barrier.child", target: target)
        let inBarrier = Gate()
        let leave = Gate()
        let ran = Watched(0)
        target.async(flags: .barrier) {
            inBarrier.open()
            leave.pass()
        }
        expectOpens(inBarrier)
        child.async { ran.increment() }
        expectStays(ran, at: 0)
        leave.open()
        expectEventually(ran) { $0 == 1 }
    }

    @Test("10. A queue keeps its own class on a global target")
    func attributeWins() {
        let queue = DispatchQueue(
            label: "target.qos", qos: .utility, target: .global(qos: .userInitiated))
        #expect(queue.qos == .utility)
        #expect(queue.sync { true })
    }
}
