import Synchronization

/// Counts the messages and bytes of clients. Safe to use from any thread.
final class Tally: Sendable {
    // Relaxed: the counters are independent of each other.
    private let messages = Atomic<Int>(0)
    private let bytes = Atomic<Int>(0)
    /// Keeps the next tally out of the cache line.
    private let padding = InlineArray<8, UInt64>(repeating: 0)

    func count(bytes count: Int) {
        messages.add(1, ordering: .relaxed)
        bytes.add(count, ordering: .relaxed)
    }

    var traffic: Traffic {
        Traffic(
            messages: messages.load(ordering: .relaxed), bytes: bytes.load(ordering: .relaxed))
    }
}
