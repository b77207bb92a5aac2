// State guarded by a serial queue instead of a lock.
import RingDispatch

final class WordCounts: @unchecked Sendable {
    // Safety: only `isolation` touches `counts`.
    private let isolation = DispatchQueue(label: "word-counts")
    private var counts: [String: Int] = [:]

    /// Asynchronous: the caller does not wait for the change.
    func add(_ word: String) {
        isolation.async { self.counts[word, default: 0] += 1 }
    }

    /// Synchronous: the result includes all earlier changes by the caller.
    func count(of word: String) -> Int {
        isolation.sync { counts[word, default: 0] }
    }
}

// snippet.hide
let words = WordCounts()
DispatchQueue.concurrentPerform(iterations: 1000) { number in
    words.add(number.isMultiple(of: 4) ? "four" : "other")
}
precondition(words.count(of: "four") == 250)
precondition(words.count(of: "other") == 750)
print("four: \(words.count(of: "four")), other: \(words.count(of: "other"))")
