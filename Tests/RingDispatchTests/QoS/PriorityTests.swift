import Glibc
import RingDispatch
import Testing

@Suite("Urgent work goes first", .watchdog, .serialized)
struct PriorityTests {
    /// In a process of its own with one loop, where only the library decides the order.
    @Test("76. Urgent items go before less urgent ones that wait, on the whole")
    func priorities() async {
        await #expect(processExitsWith: .success) {
            prepareForTrap()
            setenv("RINGDISPATCH_LOOPS", "1", 1)
            let finished = Watched<[DispatchQoS.QoSClass]>([])
            let classes: [DispatchQoS.QoSClass] = [.utility, .userInteractive]
            let perClass = 400
            // The less urgent queue is filled first: without priorities it would finish first. All
            // items are submitted before one can start, however slow this thread is.
            let queues = classes.map { qosClass in
                DispatchQueue(
                    label: "priority.\(qosClass)",
                    qos: DispatchQoS(qosClass: qosClass, relativePriority: 0),
                    attributes: [.concurrent, .initiallyInactive])
            }
            let start = DispatchQueue(label: "priority.start")
            for (queue, qosClass) in zip(queues, classes) {
                for _ in 0..<perClass { queue.async { finished.append(qosClass) } }
            }
            // Submitted from the loop's own thread, so that neither queue has a head start.
            start.async { for queue in queues { queue.activate() } }
            expectEventually(finished) { $0.count == classes.count * perClass }
            let order = finished.value
            func meanPlace(_ qosClass: DispatchQoS.QoSClass) -> Int {
                let places = order.indices.filter { order[$0] == qosClass }
                return places.reduce(0, +) / max(1, places.count)
            }
            #expect(meanPlace(.userInteractive) < meanPlace(.utility))
        }
    }

    @Test("76. A background item is not left behind for ever")
    func noStarvation() {
        let stop = Gate()
        let urgent = DispatchQueue.global(qos: .userInteractive)
        for _ in 0..<8 { keepBusy(urgent, until: stop) }
        let ran = Gate()
        DispatchQueue.global(qos: .background).async { ran.open() }
        expectOpens(ran)
        stop.open()
    }

    /// In a process of its own with one loop, where only the library decides the order. Each item
    /// of a flood submits the next one, to another queue: a queue may run several items in a turn.
    @Test(
        "76. If each class floods a loop, the most urgent has nearly all turns, each other some",
        arguments: [true, false])
    func floods(isSerial: Bool) async {
        await #expect(processExitsWith: .success) { [isSerial] in
            prepareForTrap()
            setenv("RINGDISPATCH_LOOPS", "1", 1)
            let classes: [DispatchQoS] = [
                .utility, .default, .userInitiated, .userInteractive,
            ]
            let turns = Watched([0, 0, 0, 0])
            let wanted = 40_000
            let start = DispatchQueue(label: "flood.start")
            // Submitted from the loop's own thread, so that no class has a head start.
            start.async {
                for (index, qos) in classes.enumerated() {
                    for _ in 0..<8 {
                        let queues = (0..<2).map { _ in
                            isSerial
                                ? DispatchQueue(label: "flood", qos: qos)
                                : .global(qos: qos.qosClass)
                        }
                        flood(queues[0], queues[1]) {
                            turns.update { turns in
                                turns[index] += 1
                                return turns.reduce(0, +) < wanted
                            }
                        }
                    }
                }
            }
            expectEventually(turns) { $0.reduce(0, +) >= wanted }
            let shares = turns.value.map { Double($0) / Double(wanted) }
            #expect(shares[3] >= 0.9, "\(shares)")
            #expect(shares.allSatisfy { $0 >= 0.005 }, "\(shares)")
        }
    }

    private func keepBusy(_ queue: DispatchQueue, until stop: Gate) {
        queue.async {
            compute()
            if !stop.wasOpened { self.keepBusy(queue, until: stop) }
        }
    }
}

private func flood(
    _ queue: DispatchQueue, _ other: DispatchQueue, _ mustGoOn: @escaping @Sendable () -> Bool
) {
    queue.async { if mustGoOn() { flood(other, queue, mustGoOn) } }
}

/// About a tenth of a millisecond of work.
private func compute() {
    let end = DispatchTime.now() + .microseconds(100)
    while DispatchTime.now() < end {}
}
