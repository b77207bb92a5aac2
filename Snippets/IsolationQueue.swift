// State that is touched on one serial queue only: what others make of locks.
import RingDispatch

final class WordCounts: @unchecked Sendable {
    // Safety: `counts` is touched on `isolation` only.
    private let isolation = DispatchQueue(label: "word-counts")
    private var counts: [String: Int] = [:]

    /// Nobody waits for a change...
    func add(_ word: String) {
        isolation.async { self.counts[word, default: 0] += 1 }
    }

    /// ...but for an answer. It has all changes that the caller made before.
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
