// Starts several asynchronous operations, and runs a block after the last one.
import RingDispatch

func download(_ names: [String], then finish: @escaping @Sendable ([String: Int]) -> Void) {
    let results = DispatchQueue(label: "results")
    let sizes = Sizes()
    let group = DispatchGroup()
    for name in names {
        // For work with a callback: enter before the call, leave in the callback.
        group.enter()
        fetch(name) { size in
            results.async {
                sizes.byName[name] = size
                group.leave()
            }
        }
    }
    group.notify(queue: results) { finish(sizes.byName) }
}

// snippet.hide
final class Sizes: @unchecked Sendable {
    // Safety: only the queue `results` touches `byName`.
    var byName: [String: Int] = [:]
}

func fetch(_ name: String, completion: @escaping @Sendable (Int) -> Void) {
    DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(name.count)) {
        completion(name.utf8.count)
    }
}

let done = DispatchSemaphore(value: 0)
download(["a", "bb", "ccc"]) { sizes in
    precondition(sizes == ["a": 1, "bb": 2, "ccc": 3])
    print("sizes: \(sizes.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" })")
    done.signal()
}
precondition(done.wait(timeout: .now() + 30) == .success)
