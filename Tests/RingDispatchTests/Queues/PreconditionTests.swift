import RingDispatch
import Testing

@Suite("dispatchPrecondition", .watchdog)
struct PreconditionTests {
    @Test("28. onQueue holds in items and in sync blocks")
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

    @Test("28. onQueue holds for a global queue and for a concurrent one")
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

    @Test("28. onQueue holds for the global queue at the end of the targets")
    func globalRoots() {
        let concurrent = DispatchQueue(label: "precondition.root", attributes: .concurrent)
        concurrent.sync(flags: .barrier) { dispatchPrecondition(condition: .onQueue(.global())) }
        let utility = DispatchQueue.global(qos: .utility)
        let serial = DispatchQueue(label: "precondition.utility", qos: .default, target: utility)
        let leaf = DispatchQueue(label: "precondition.leaf", target: serial)
        for queue in [serial, leaf] {
            let checked = Gate()
            queue.async {
                dispatchPrecondition(condition: .onQueue(utility))
                dispatchPrecondition(condition: .notOnQueue(.global()))
                checked.open()
            }
            expectOpens(checked)
            queue.sync { dispatchPrecondition(condition: .onQueue(utility)) }
        }
        let alone = DispatchQueue(label: "precondition.alone")
        alone.sync { dispatchPrecondition(condition: .notOnQueue(.global())) }
    }

    @Test("28. notOnQueue traps for the global queue at the end of the targets")
    func notOnGlobalRoot() async {
        let result = await #expect(processExitsWith: .failure, observing: lastWords) {
            prepareForTrap()
            let queue = DispatchQueue(label: "precondition.not", target: .global())
            queue.sync { dispatchPrecondition(condition: .notOnQueue(.global())) }
        }
        expectMessage(result, naming: "precondition.not", "root.default")
    }

    @Test("28. onQueue holds for all targets of the current queue")
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

    @Test("29. Inside nested syncs both queues count as the current one")
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

    @Test("28, 29. A nested sync inside an item keeps the item's queue current")
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

    @Test("23. onQueueAsBarrier holds on serial queues and in barriers")
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
    @Test("28. onQueue elsewhere")
    func onQueue() async {
        let result = await #expect(processExitsWith: .failure, observing: lastWords) {
            prepareForTrap()
            dispatchPrecondition(condition: .onQueue(DispatchQueue(label: "precondition.absent")))
        }
        expectMessage(result, naming: "precondition.absent")
    }

    @Test("28. notOnQueue on the queue")
    func notOnQueue() async {
        let result = await #expect(processExitsWith: .failure, observing: lastWords) {
            prepareForTrap()
            let queue = DispatchQueue(label: "precondition.present")
            queue.sync { dispatchPrecondition(condition: .notOnQueue(queue)) }
        }
        expectMessage(result, naming: "precondition.present")
    }

    @Test("23. onQueueAsBarrier in an ordinary item of a concurrent queue")
    func asBarrier() async {
        let result = await #expect(processExitsWith: .failure, observing: lastWords) {
            prepareForTrap()
            let queue = DispatchQueue(label: "precondition.reader", attributes: .concurrent)
            queue.sync { dispatchPrecondition(condition: .onQueueAsBarrier(queue)) }
        }
        expectMessage(result, naming: "precondition.reader")
    }
}
