import RingDispatch
import Testing

@Suite("dispatchPrecondition", .watchdog)
struct PreconditionTests {
    @Test("onQueue holds in items and in sync blocks")  // contract 28
    func onQueue() {
        let queue = DispatchQueue(label: "precondition.on")
        queue.sync { dispatchPrecondition(condition: .onQueue(queue)) }
        let checked = Gate()
        queue.async {
            dispatchPrecondition(condition: .onQueue(queue))
            checked.open()
        }
        expectOpens(checked)
        dispatchPrecondition(condition: .notOnQueue(queue))
    }

    @Test("onQueue holds for a global queue and for a concurrent one")  // contract 28
    func concurrentQueues() {
        let queue = DispatchQueue(label: "precondition.concurrent", attributes: .concurrent)
        let checked = Watched(0)
        queue.async {
            dispatchPrecondition(condition: .onQueue(queue))
            checked.increment()
        }
        DispatchQueue.global(qos: .utility).async {
            dispatchPrecondition(condition: .onQueue(.global(qos: .utility)))
            dispatchPrecondition(condition: .notOnQueue(queue))
            checked.increment()
        }
        queue.sync {
            dispatchPrecondition(condition: .onQueue(queue))
            _ = checked.increment()
        }
        expectEventually(checked) { $0 == 3 }
    }

    @Test("onQueue holds for all targets of the current queue")  // contract 28
    func targets() {
        let root = DispatchQueue(label: "precondition.root")
        let middle = DispatchQueue(label: "precondition.middle", target: root)
        let leaf = DispatchQueue(label: "precondition.leaf", target: middle)
        let sibling = DispatchQueue(label: "precondition.sibling", target: root)
        let checked = Watched(0)
        leaf.async {
            dispatchPrecondition(condition: .onQueue(leaf))
            dispatchPrecondition(condition: .onQueue(middle))
            dispatchPrecondition(condition: .onQueue(root))
            dispatchPrecondition(condition: .notOnQueue(sibling))
            checked.increment()
        }
        leaf.sync {
            dispatchPrecondition(condition: .onQueue(leaf))
            dispatchPrecondition(condition: .onQueue(middle))
            dispatchPrecondition(condition: .onQueue(root))
            dispatchPrecondition(condition: .notOnQueue(sibling))
            _ = checked.increment()
        }
        expectEventually(checked) { $0 == 2 }
    }

    @Test("Inside nested syncs both queues count as the current one")  // contract 29
    func nestedSync() {
        let outer = DispatchQueue(label: "precondition.outer")
        let inner = DispatchQueue(label: "precondition.inner")
        outer.sync {
            inner.sync {
                dispatchPrecondition(condition: .onQueue(outer))
                dispatchPrecondition(condition: .onQueue(inner))
            }
            dispatchPrecondition(condition: .onQueue(outer))
            dispatchPrecondition(condition: .notOnQueue(inner))
        }
        dispatchPrecondition(condition: .notOnQueue(outer))
    }

    @Test("A nested sync inside an item keeps the item's queue current")  // contract 28, 29
    func syncInsideItem() {
        let outer = DispatchQueue(label: "precondition.item")
        let inner = DispatchQueue(label: "precondition.item.inner")
        let checked = Gate()
        outer.async {
            inner.sync {
                dispatchPrecondition(condition: .onQueue(outer))
                dispatchPrecondition(condition: .onQueue(inner))
            }
            checked.open()
        }
        expectOpens(checked)
    }

    @Test("onQueueAsBarrier holds on serial queues and in barriers")  // contract 23
    func barrier() {
        let serial = DispatchQueue(label: "precondition.serial")
        serial.sync { dispatchPrecondition(condition: .onQueueAsBarrier(serial)) }
        let queue = DispatchQueue(label: "precondition.barrier", attributes: .concurrent)
        queue.sync(flags: .barrier) { dispatchPrecondition(condition: .onQueueAsBarrier(queue)) }
        let checked = Gate()
        queue.async(flags: .barrier) {
            dispatchPrecondition(condition: .onQueueAsBarrier(queue))
            checked.open()
        }
        expectOpens(checked)
    }
}

@Suite("A failing dispatchPrecondition traps", .serialized)
struct PreconditionMisuseTests {
    @Test("onQueue elsewhere")  // contract 28
    func onQueue() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            prepareForTrap()
            dispatchPrecondition(condition: .onQueue(DispatchQueue(label: "precondition.absent")))
        }
        expectMessage(result, naming: "precondition.absent")
    }

    @Test("notOnQueue on the queue")  // contract 28
    func notOnQueue() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            prepareForTrap()
            let queue = DispatchQueue(label: "precondition.present")
            queue.sync { dispatchPrecondition(condition: .notOnQueue(queue)) }
        }
        expectMessage(result, naming: "precondition.present")
    }

    @Test("onQueueAsBarrier in an ordinary item of a concurrent queue")  // contract 23
    func asBarrier() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            prepareForTrap()
            let queue = DispatchQueue(label: "precondition.reader", attributes: .concurrent)
            queue.sync { dispatchPrecondition(condition: .onQueueAsBarrier(queue)) }
        }
        expectMessage(result, naming: "precondition.reader")
    }
}
