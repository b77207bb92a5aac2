import Synchronization

/// Counts the messages and bytes of one client, or of all datagrams.
///
/// One queue writes, any thread may read: a count needs no atomic read-modify-write, and no cache
/// line shared between clients.
final class Tally: Sendable {
    // Relaxed: the counters are independent of each other.
    private let messages = Atomic<Int>(0)
    private let bytes = Atomic<Int>(0)

    /// Call on the queue of the handlers.
    @inline(__always)
    func count(bytes count: Int) {
        messages.store(messages.load(ordering: .relaxed) &+ 1, ordering: .relaxed)
        bytes.store(bytes.load(ordering: .relaxed) &+ count, ordering: .relaxed)
    }

    var traffic: Traffic {
        Traffic(
            messages: messages.load(ordering: .relaxed), bytes: bytes.load(ordering: .relaxed))
    }
}
