import Synchronization

/// What one client's handlers count, or all datagrams' handlers.
///
/// Written on one queue only, and read by anybody at any time: that takes no more than a load and a
/// store for each number, and no memory that clients share.
final class Tally: @unchecked Sendable {
    // Safety: `place` is touched under the ledger's lock only.
    /// Where the ledger has it.
    var place = 0
    // Relaxed: each number stands for itself.
    private let messages = Atomic<Int>(0)
    private let bytes = Atomic<Int>(0)

    /// On the queue of the handlers.
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
