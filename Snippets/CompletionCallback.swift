// An asynchronous function that reports its result on a queue of the caller's choice.
import RingDispatch

func average(
    of values: [Double], reportingOn queue: DispatchQueue,
    completion: @escaping @Sendable (Double?) -> Void
) {
    // A global queue does the work. The callback runs on the caller's queue, which guards its
    // state.
    DispatchQueue.global(qos: .utility).async {
        let result = values.isEmpty ? nil : values.reduce(0, +) / Double(values.count)
        queue.async { completion(result) }
    }
}

// snippet.hide
let results = DispatchQueue(label: "results")
let done = DispatchGroup()
for (values, expected) in [([1, 2, 6], 3), ([], nil)] as [([Double], Double?)] {
    done.enter()
    average(of: values, reportingOn: results) { result in
        dispatchPrecondition(condition: .onQueue(results))
        precondition(result == expected)
        print("average of \(values): \(result.map { "\($0)" } ?? "none")")
        done.leave()
    }
}
precondition(done.wait(timeout: .now() + 30) == .success)
