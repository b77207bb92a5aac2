// A hierarchy of queues: each part of a program has its own queue, and all of them target one
// serial queue.
import RingDispatch

final class Part: Sendable {
    let queue: DispatchQueue

    /// Items of one part run in order; items of different parts never run concurrently.
    init(_ name: String, of subsystem: DispatchQueue) {
        queue = DispatchQueue(label: "\(subsystem.label).\(name)", target: subsystem)
    }
}

let subsystem = DispatchQueue(label: "network", qos: .utility)
let parts = ["names", "connections", "retries"].map { Part($0, of: subsystem) }

// snippet.hide
final class Trace: @unchecked Sendable {
    // Safety: all queues that touch it target `subsystem`, which is serial.
    var isBusy = false
    var runs: [String: Int] = [:]
}

let trace = Trace()
let done = DispatchGroup()
for _ in 0..<100 {
    for part in parts {
        part.queue.async(group: done) {
            dispatchPrecondition(condition: .onQueue(subsystem))
            precondition(!trace.isBusy, "two parts ran concurrently")
            trace.isBusy = true
            trace.runs[DispatchQueue.currentLabel, default: 0] += 1
            trace.isBusy = false
        }
    }
}
precondition(done.wait(timeout: .now() + 30) == .success)
let runs = subsystem.sync { trace.runs }
precondition(runs == ["network.names": 100, "network.connections": 100, "network.retries": 100])
print(runs.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }.joined(separator: ", "))
