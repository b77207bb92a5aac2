import Dispatch

// Every call of GCD on queues, as programs write them. Compiled, never run.

func queues() -> [DispatchQueue] {
    let utility: DispatchQueue = .global(qos: .utility)
    return [
        DispatchQueue(label: "a"),
        DispatchQueue(label: "b", qos: .userInitiated),
        DispatchQueue(label: "c", attributes: .concurrent),
        DispatchQueue(label: "d", attributes: [.concurrent, .initiallyInactive]),
        DispatchQueue(label: "e", qos: .background, target: utility),
        DispatchQueue(label: "f", target: DispatchQueue.global()),
        DispatchQueue.init(
            label: "g", qos: DispatchQoS(qosClass: .default, relativePriority: -1), attributes: [],
            autoreleaseFrequency: .workItem, target: nil),
        DispatchQueue(label: "h", autoreleaseFrequency: .never, target: .main),
        .main, .global(), DispatchQueue.global(qos: .userInteractive), .global(qos: .background),
        DispatchQueue.global(qos: .default), DispatchQueue.global(qos: .unspecified),
    ]
}

func lives(_ queue: DispatchQueue) -> String {
    queue.activate()
    queue.suspend()
    queue.resume()
    queue.setTarget(queue: .global())
    let object: DispatchObject = queue
    object.suspend()
    object.resume()
    return queue.label + "\(queue.qos) \(queue.qos.qosClass) \(queue.qos.relativePriority)"
}

func submits(_ queue: DispatchQueue, _ group: DispatchGroup, _ item: DispatchWorkItem) {
    queue.async {}
    queue.async { print("block") }
    queue.async(execute: {})
    queue.async(execute: item)
    queue.async(group: group) {}
    queue.async(group: group, execute: item)
    queue.async(group: nil, qos: .default, flags: [.barrier, .enforceQoS], execute: {})
    queue.async(qos: .userInitiated) {}
    queue.async(flags: .barrier) {}
    queue.async(qos: .background, flags: .inheritQoS) {}
    queue.async(group: group, qos: .utility, flags: [.detached, .noQoS, .assignCurrentContext]) {}
    let block: @Sendable () -> Void = {}
    queue.async(execute: block)
    queue.async(execute: function)
    DispatchQueue.main.async {}
    DispatchQueue.global(qos: .userInitiated).async(group: group) { DispatchQueue.main.async {} }
}

func later(_ queue: DispatchQueue, _ item: DispatchWorkItem) {
    queue.asyncAfter(deadline: .now() + 1) {}
    queue.asyncAfter(deadline: .now() + 0.5, execute: function)
    queue.asyncAfter(deadline: DispatchTime.now() + .milliseconds(500), execute: item)
    queue.asyncAfter(deadline: .now() + .seconds(1), qos: .utility) {}
    queue.asyncAfter(deadline: .now(), qos: .utility, flags: .barrier) {}
    queue.asyncAfter(deadline: .distantFuture, flags: .barrier, execute: {})
    queue.asyncAfter(wallDeadline: .now() + 60) {}
    queue.asyncAfter(wallDeadline: .now() + .seconds(60), execute: item)
    queue.asyncAfter(wallDeadline: .now(), qos: .default, flags: [], execute: {})
    DispatchQueue.main.asyncAfter(deadline: .now() + Double(3)) {}
}

struct Failure: Error {}

func waits(_ queue: DispatchQueue, _ item: DispatchWorkItem) throws -> Int {
    var count = 0
    queue.sync { count += 1 }
    queue.sync(execute: { count += 1 })
    queue.sync(execute: item)
    queue.sync(flags: .barrier) { count += 1 }
    queue.sync(flags: []) { count += 1 }
    let value = queue.sync { count }
    let text: String = queue.sync(flags: .barrier) { "text" }
    let optional: Int? = queue.sync { nil }
    let tuple = queue.sync { (count, text) }
    try queue.sync { throw Failure() }
    let checked = try queue.sync { () throws -> Int in
        guard count > 0 else { throw Failure() }
        return count
    }
    _ = try queue.sync(flags: .barrier) { try throwing() }
    return value + (optional ?? 0) + tuple.0 + checked + queue.sync(execute: { 1 })
}

func applies(_ values: [Int]) -> [Int] {
    var results = [Int](repeating: 0, count: values.count)
    results.withUnsafeMutableBufferPointer { results in
        // Safety: each iteration has an element of its own.
        nonisolated(unsafe) let results = results
        DispatchQueue.concurrentPerform(iterations: values.count) { results[$0] = values[$0] }
    }
    DispatchQueue.concurrentPerform(iterations: 3, execute: { index in print(index) })
    return results
}

let numberKey = DispatchSpecificKey<Int>()
let textKey = DispatchSpecificKey<String?>()

func specifics(_ queue: DispatchQueue) -> Int? {
    queue.setSpecific(key: numberKey, value: 1)
    queue.setSpecific(key: numberKey, value: nil)
    queue.setSpecific(key: textKey, value: "a")
    if DispatchQueue.getSpecific(key: numberKey) != nil { return nil }
    return queue.getSpecific(key: numberKey)
}

func checks(_ queue: DispatchQueue) {
    dispatchPrecondition(condition: .onQueue(queue))
    dispatchPrecondition(condition: .onQueueAsBarrier(queue))
    dispatchPrecondition(condition: .notOnQueue(.main))
    dispatchPrecondition(condition: .onQueue(.main), file: #file, line: #line)
    let condition = DispatchPredicate.notOnQueue(queue)
    dispatchPrecondition(condition: condition)
}

func serveForEver() -> Never { dispatchMain() }
@Sendable func function() {}
func throwing() throws -> Int { throw Failure() }

@available(*, deprecated)
func oldQueues() -> [DispatchQueue] {
    [
        .global(priority: .high), .global(priority: .default), .global(priority: .low),
        DispatchQueue.global(priority: .background),
    ]
}
