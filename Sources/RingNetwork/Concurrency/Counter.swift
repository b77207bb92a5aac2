internal import Synchronization

/// A number that one queue changes and any thread may read.
struct Counter: ~Copyable, Sendable {
    // Relaxed: nothing depends on it. One thread at a time changes it, so an addition is a load and
    // a store.
    private let storage = Atomic<UInt64>(0)

    @inline(__always)
    var value: UInt64 { storage.load(ordering: .relaxed) }

    @inline(__always)
    func set(_ value: UInt64) { storage.store(value, ordering: .relaxed) }

    @inline(__always)
    func add(_ count: UInt64) { set(value &+ count) }
}
