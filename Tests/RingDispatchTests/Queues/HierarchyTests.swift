import Glibc
import RingDispatch
import Testing

@Suite("Hierarchies of queues", .watchdog)
struct HierarchyTests {
    @Test("12. sync goes through a hundred targets, and all of them count as current")
    func depth() {
        let base = DispatchQueue(label: "hierarchy.base")
        let top = (0..<100).reduce(base) { target, number in
            DispatchQueue(label: "hierarchy.\(number)", target: target)
        }
        top.sync {
            dispatchPrecondition(condition: .onQueue(base))
            dispatchPrecondition(condition: .onQueue(top))
        }
        let ran = Gate()
        top.async {
            dispatchPrecondition(condition: .onQueue(base))
            ran.open()
        }
        expectOpens(ran)
    }

    @Test("12. A cycle of targets traps")
    func cycle() async {
        let result = await #expect(processExitsWith: .failure, observing: lastWords) {
            prepareForTrap()
            let first = DispatchQueue(label: "cycle.first", attributes: .initiallyInactive)
            let second = DispatchQueue(
                label: "cycle.second", attributes: .initiallyInactive, target: first)
            first.setTarget(queue: second)
        }
        expectMessage(result, naming: "cycle.first", "cannot be its own target")
    }

    @Test("The main queue and global queues ignore a new target")
    func fixedTarget() {
        let other = DispatchQueue(label: "hierarchy.other")
        DispatchQueue.main.setTarget(queue: other)
        let global = DispatchQueue.global(qos: .utility)
        global.setTarget(queue: other)
        global.sync { dispatchPrecondition(condition: .notOnQueue(other)) }
    }

    @Test("9. A new target for a queue that others target already traps")
    func lateTarget() async {
        let target = await #expect(processExitsWith: .failure, observing: lastWords) {
            prepareForTrap()
            let middle = DispatchQueue(label: "late.middle", attributes: .initiallyInactive)
            let queue = DispatchQueue(label: "late.queue", target: middle)
            withExtendedLifetime(queue) { middle.setTarget(queue: .main) }
        }
        expectMessage(target, naming: "late.middle", "set its own target first")
    }

    @Test("25. As many items of a concurrent queue as it takes run beside one another")
    func width() {
        let queue = DispatchQueue(label: "hierarchy.width", attributes: .concurrent)
        let count = 64
        let inside = Watched(0)
        let leave = Gate()
        for _ in 0..<count {
            queue.async {
                inside.increment()
                leave.pass()
            }
        }
        expectEventually(inside) { $0 == count }
        // Readers are admitted, too.
        #expect(queue.sync { true })
        leave.open()
        queue.sync(flags: .barrier) {}
    }

    @Test("25. More readers than GCD's 4094 may be inside at once")
    func nestedReaders() {
        let queue = DispatchQueue(label: "hierarchy.nested", attributes: .concurrent)
        let deepest = Watched(0)
        @Sendable func enter(_ depth: Int) {
            if depth == 5000 {
                deepest.update { $0 = depth }
            } else {
                queue.sync { enter(depth + 1) }
            }
        }
        let thread = UserThread { enter(0) }
        #expect(thread.join())
        #expect(deepest.value == 5000)
        // All have left.
        queue.sync(flags: .barrier) {}
    }

    /// With a serial target nothing overlaps, whatever queues are above it and however items are
    /// submitted.
    @Test("The narrowest queue of a hierarchy limits what runs at once", arguments: [false, true])
    func narrowest(serialInTheMiddle: Bool) {
        let base = DispatchQueue(
            label: "concur.base", attributes: serialInTheMiddle ? .concurrent : [])
        let middle = DispatchQueue(
            label: "concur.middle", attributes: serialInTheMiddle ? [] : .concurrent, target: base)
        let tops = (0..<4).map {
            DispatchQueue(label: "concur.\($0)", attributes: .concurrent, target: middle)
        }
        let inside = Unguarded(0)
        let overlaps = Watched(0)
        let ran = Watched(0)
        let work = { @Sendable in
            inside.value += 1
            if inside.value != 1 { overlaps.increment() }
            sched_yield()
            inside.value -= 1
            ran.increment()
        }
        let group = DispatchGroup()
        for top in tops {
            for _ in 0..<100 {
                top.async(execute: work)
                top.async(group: group, execute: work)
            }
        }
        DispatchQueue.concurrentPerform(iterations: 100) { tops[$0 % 4].sync(execute: work) }
        #expect(group.wait(timeout: Patience.deadline) == .success)
        expectEventually(ran) { $0 == 900 }
        #expect(overlaps.value == 0)
    }
}
