internal import CSimulation
internal import RingDispatch

/// A thread of the program that submits to the queues in all ways.
final class QueueProducer: @unchecked Sendable {
    private let number: Int
    private let scenario: QueuesScenario
    private let group = DispatchGroup()
    private var inGroup = 0
    private var notifications = 0
    private var expectedNotifications = 0

    init(_ number: Int, _ scenario: QueuesScenario) {
        self.number = number
        self.scenario = scenario
    }

    func run() {
        for _ in 0..<random(1...25) { act(on: scenario.anyQueue()) }
        group.wait()
        require(inGroup == 0, "a group is empty too early")
        wait(until: { notifications == expectedNotifications }, "a group's notification")
    }

    private func act(on tested: TestedQueue) {
        let queue = tested.queue
        switch random(1...20) {
        case 1...6: submitBurst(to: tested)
        case 7: queue.async(flags: .barrier, execute: item(tested, .barrier))
        case 8: runAtOnce(tested) { queue.sync(execute: $0) }
        case 9: runAtOnce(tested, .waitingBarrier) { queue.sync(flags: .barrier, execute: $0) }
        case 10: runAtOnce(tested) { queue.asyncAndWait(execute: $0) }
        case 11...13: tested.submitLater { [self] in scenario.handle(tested) }
        case 14: suspend(queue)
        case 15: submitInGroup(tested)
        case 16: notify(tested)
        case 17: handShakes(tested)
        case 18: perform()
        default: pause(1...2_000)
        }
    }

    private func item(_ tested: TestedQueue, _ kind: TestedQueue.Kind) -> @Sendable () -> Void {
        tested.item(number, kind) { [self] in scenario.handle(tested) }
    }

    private func submitBurst(to tested: TestedQueue) {
        for _ in 0..<random(1...(oneIn(8) ? 40 : 5)) {
            tested.queue.async(execute: item(tested, .async))
        }
    }

    private func runAtOnce(
        _ tested: TestedQueue, _ kind: TestedQueue.Kind = .waiting,
        _ run: (@escaping @Sendable () -> Void) -> Void
    ) {
        let hasRun = Flag()
        run(
            tested.item(number, kind) { [self] in
                scenario.handle(tested)
                hasRun.isSet = true
            })
        require(hasRun.isSet, "sync returned before its item")
    }

    private func suspend(_ queue: DispatchQueue) {
        queue.suspend()
        if oneIn(2) { pause(1...1_000) }
        queue.resume()
    }

    private func submitInGroup(_ tested: TestedQueue) {
        for _ in 0..<random(1...4) {
            inGroup += 1
            let body = item(tested, .async)
            tested.queue.async(group: group) { [self] in
                body()
                inGroup -= 1
            }
        }
        if oneIn(2) {
            group.wait()
            require(inGroup == 0, "a group is empty too early")
        }
    }

    private func notify(_ tested: TestedQueue) {
        expectedNotifications += 1
        group.notify(queue: tested.queue) { [self] in notifications += 1 }
    }

    /// Waits for items. The next one is submitted when the loop is about to sleep.
    private func handShakes(_ tested: TestedQueue) {
        for _ in 0..<random(1...12) {
            let semaphore = DispatchSemaphore(value: 0)
            tested.queue.async(execute: tested.item(number, .async) { semaphore.signal() })
            let isOver =
                oneIn(4)
                && semaphore.wait(timeout: .now() + .microseconds(random(0...300))) == .success
            if !isOver { semaphore.wait() }
            compute(0...100)
        }
    }

    private func perform() {
        let calls = Calls(random(1...8))
        DispatchQueue.concurrentPerform(iterations: calls.counts.count) { calls.counts[$0] += 1 }
        require(calls.counts.allSatisfy { $0 == 1 }, "iterations ran \(calls.counts) times")
    }

    private final class Flag: @unchecked Sendable {
        var isSet = false
    }

    private final class Calls: @unchecked Sendable {
        var counts: [Int]
        init(_ count: Int) { counts = Array(repeating: 0, count: count) }
    }
}
