import RingDispatch
import Testing

@Suite("Urgent work goes first", .watchdog, .serialized)
struct PriorityTests {
    /// Both classes share the ordinary threads, whose order is the library's; the background class
    /// has threads of its own, whose order is the kernel's.
    @Test("Urgent items go before less urgent ones that wait, on the whole")
    func priorities() {  // contract 76, dispatch_priority
        let finished = Watched<[DispatchQoS.QoSClass]>([])
        let classes: [DispatchQoS.QoSClass] = [.utility, .userInteractive]
        let perClass = 400
        // The less urgent first: without any priorities it would finish first. Everything is
        // submitted before anything may start, however slow this thread is.
        let queues = classes.map { qosClass in
            DispatchQueue(
                label: "priority.\(qosClass)",
                qos: DispatchQoS(qosClass: qosClass, relativePriority: 0),
                attributes: [.concurrent, .initiallyInactive])
        }
        for (queue, qosClass) in zip(queues, classes) {
            for _ in 0..<perClass {
                queue.async {
                    compute()
                    finished.append(qosClass)
                }
            }
        }
        for queue in queues { queue.activate() }
        expectEventually(finished) { $0.count == classes.count * perClass }
        let order = finished.value
        func meanPlace(_ qosClass: DispatchQoS.QoSClass) -> Int {
            let places = order.indices.filter { order[$0] == qosClass }
            return places.reduce(0, +) / places.count
        }
        #expect(meanPlace(.userInteractive) < meanPlace(.utility))
    }

    @Test("A background item is not left behind for ever")  // contract 76
    func noStarvation() {
        let stop = Gate()
        let urgent = DispatchQueue.global(qos: .userInteractive)
        for _ in 0..<8 { keepBusy(urgent, until: stop) }
        let ran = Gate()
        DispatchQueue.global(qos: .background).async { ran.open() }
        expectOpens(ran)
        stop.open()
    }

    private func keepBusy(_ queue: DispatchQueue, until stop: Gate) {
        queue.async {
            compute()
            if !stop.wasOpened { self.keepBusy(queue, until: stop) }
        }
    }
}

/// About a tenth of a millisecond of work.
private func compute() {
    let end = DispatchTime.now() + .microseconds(100)
    while DispatchTime.now() < end {}
}
