internal import Synchronization

/// The part of a thread that other threads use: its identifier, its parker and its queue.
///
/// A pointer, without reference counting, that is valid as long as the thread.
struct ThreadHandle: Equatable, Sendable {
    // Safety: the fields are immutable or atomic, and each use is by the thread itself or while the
    // thread waits.
    private nonisolated(unsafe) let storage: UnsafeMutablePointer<Storage>

    private struct Storage: ~Copyable {
        let identifier: UInt32
        let parker = Parker()
        /// See `QueueInspection`.
        let queue = Atomic<UnsafeRawPointer?>(nil)
        /// The number of items that the thread has begun. Only the thread stores it (relaxed).
        let item = Atomic<UInt64>(0)
    }

    init(identifier: UInt32) {
        storage = .allocate(capacity: 1)
        storage.initialize(to: Storage(identifier: identifier))
    }

    init(address: UnsafeMutableRawPointer) {
        storage = address.assumingMemoryBound(to: Storage.self)
    }

    func deallocate() {
        storage.deinitialize(count: 1)
        storage.deallocate()
    }

    var address: UnsafeMutableRawPointer { UnsafeMutableRawPointer(storage) }

    /// The kernel's thread identifier.
    var identifier: UInt32 { storage.pointee.identifier }

    /// An item begins.
    @inline(__always)
    func noteItem() {
        storage.pointee.item.store(
            storage.pointee.item.load(ordering: .relaxed) &+ 1, ordering: .relaxed)
    }

    /// The number of the item that the thread runs, or of its last one.
    var item: UInt64 { storage.pointee.item.load(ordering: .relaxed) }

    /// The queue that the thread runs on now. For other threads; see `QueueInspection`.
    @inline(__always)
    func announce(_ queue: UnsafeRawPointer?) {
        storage.pointee.queue.store(queue, ordering: .releasing)
    }

    /// The queue may be gone, except in `QueueInspection.inspect`.
    var announcedQueue: UnsafeRawPointer? { storage.pointee.queue.load(ordering: .acquiring) }

    /// Ends the thread's current `park`, or its next one.
    func grant() { storage.pointee.parker.grant() }
    @inline(__always)
    func tryTakeGrant() -> Bool { storage.pointee.parker.tryTake() }
    func park(deadline: UInt64 = .max) -> Bool { storage.pointee.parker.sleep(deadline: deadline) }
}
