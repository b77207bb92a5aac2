internal import CSimulation
internal import RingDispatch

/// A queue that checks the order of its items, and which of them run at the same time.
final class TestedQueue: @unchecked Sendable {
    let queue: DispatchQueue
    let isSerial: Bool
    private let target: TestedQueue?
    /// Items, also those of queues with this target.
    private var running = 0
    private var isAlone = false
    /// All that were submitted and have not ended.
    private(set) var unfinished = 0
    private var counts: [Int: Counts] = [:]
    /// The latest deadline of a timer's item that has started.
    private var lastDeadline: UInt64 = 0
    /// The name of the handlers as a producer; only of a serial queue.
    let producer: Int

    /// Items of one producer.
    private struct Counts {
        var submitted = 0
        var started = 0
        var finished = 0
    }

    enum Kind { case async, barrier, waiting, waitingBarrier }

    init(target: TestedQueue?, isInactive: Bool, producer: Int) {
        isSerial = oneIn(2)
        self.target = target
        self.producer = producer
        var attributes: DispatchQueue.Attributes = isSerial ? [] : .concurrent
        if isInactive { attributes.insert(.initiallyInactive) }
        let qos: DispatchQoS = oneIn(4) ? (oneIn(2) ? .userInteractive : .background) : .unspecified
        queue = DispatchQueue(
            label: "tested", qos: qos, attributes: attributes, target: target?.queue)
    }

    /// Returns the body of an item, which the caller submits next.
    func item(
        _ producer: Int, _ kind: Kind, _ body: @escaping @Sendable () -> Void
    ) -> @Sendable () -> Void {
        let number = exclusively {
            counts[producer, default: Counts()].submitted += 1
            unfinished += 1
            return counts[producer]!.submitted - 1
        }
        return { [self] in
            note("item of producer \(producer)", number)
            let isAlone = isSerial || kind == .barrier || kind == .waitingBarrier
            exclusively {
                checkOrder(number, producer, isAlone)
                enter(isAlone: isAlone)
            }
            body()
            exclusively {
                leave(isAlone: isAlone)
                counts[producer]!.finished += 1
                unfinished -= 1
            }
        }
    }

    private func checkOrder(_ number: Int, _ producer: Int, _ isAlone: Bool) {
        let known = counts[producer]!
        if isAlone {
            require(
                known.started == number && known.finished == number,
                "item \(number) of producer \(producer) runs after \(known)")
        }
        counts[producer]!.started += 1
    }

    private func enter(isAlone: Bool) {
        require(!self.isAlone, "an item runs beside one that must be alone")
        require(!isAlone || running == 0, "an item that must be alone runs beside others")
        running += 1
        if isAlone { self.isAlone = true }
        target?.enter(isAlone: target!.isSerial)
    }

    private func leave(isAlone: Bool) {
        target?.leave(isAlone: target!.isSerial)
        running -= 1
        if isAlone { self.isAlone = false }
    }

    /// Submits an item at a time.
    func submitLater(_ body: @escaping @Sendable () -> Void) {
        let deadline = DispatchTime.now() + .microseconds(random(0...4_000))
        let time = deadline.uptimeNanoseconds
        let submitted = Time()
        unfinished += 1
        queue.asyncAfter(deadline: deadline) { [self] in
            require(simulation_now() >= time, "a timer is early")
            require(
                !isSerial || time >= lastDeadline || submitted.end >= lastDeadline,
                "timers fire in the wrong order")
            exclusively {
                // A deadline that had passed at once did not wait for timers within their leeway.
                if submitted.end < time { lastDeadline = max(lastDeadline, time) }
                enter(isAlone: isSerial)
            }
            body()
            exclusively {
                leave(isAlone: isSerial)
                unfinished -= 1
            }
        }
        submitted.end = simulation_now()
    }

    /// When a submission has returned.
    private final class Time: @unchecked Sendable {
        var end = UInt64.max
    }
}
