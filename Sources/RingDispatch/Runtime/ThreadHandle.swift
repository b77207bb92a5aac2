internal import LinuxPlatform
internal import Synchronization

/// The part of a thread that other threads use: its identifier, where it sleeps, and its queue.
///
/// A pointer, without reference counting, that is valid as long as the thread.
struct ThreadHandle: Equatable, Sendable {
    // Safety: the fields are immutable or atomic, and each use is by the thread itself or while the
    // thread waits.
    private nonisolated(unsafe) let storage: UnsafeMutablePointer<Storage>

    private struct Storage: ~Copyable {
        let identifier: UInt32
        /// A futex; see `grant`.
        let sleep = Atomic<UInt32>(ThreadHandle.empty)
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

    // MARK: sleeping

    private static let empty: UInt32 = 0
    private static let sleeping: UInt32 = 1
    private static let granted: UInt32 = 2

    /// Ends the thread's current `park`, or its next one. One grant for each park.
    ///
    /// The exchange (releasing) pairs with the loads in `hasGrant` and `park` (acquiring): the
    /// woken thread sees the earlier writes of the granting one, which no longer accesses the
    /// memory after it, so the thread may end at once.
    func grant() {
        let word = futex
        let before = storage.pointee.sleep.exchange(
            ThreadHandle.granted, ordering: .acquiringAndReleasing)
        if before == ThreadHandle.sleeping { Futex.wake(word) }
    }

    private var futex: UnsafeMutableRawPointer {
        withUnsafePointer(to: storage.pointee.sleep) { UnsafeMutableRawPointer(mutating: $0) }
    }

    /// Whether a grant waits to be consumed.
    @inline(__always)
    var hasGrant: Bool { storage.pointee.sleep.load(ordering: .acquiring) == ThreadHandle.granted }

    /// Consumes the grant if there is one.
    @inline(__always)
    func tryTakeGrant() -> Bool {
        guard hasGrant else { return false }
        storage.pointee.sleep.store(ThreadHandle.empty, ordering: .relaxed)
        return true
    }

    /// Sleeps until a grant, or until the deadline on CLOCK_MONOTONIC (`.max`: never). Returns
    /// false if the deadline passed first.
    func park(deadline: UInt64 = .max) -> Bool {
        while true {
            let (exchanged, original) = storage.pointee.sleep.compareExchange(
                expected: ThreadHandle.empty, desired: ThreadHandle.sleeping, ordering: .acquiring)
            if !exchanged && original == ThreadHandle.granted {
                storage.pointee.sleep.store(ThreadHandle.empty, ordering: .relaxed)
                return true
            }
            let isLate = Futex.wait(futex, expected: ThreadHandle.sleeping, deadline: deadline)
            if tryTakeGrant() { return true }
            if isLate {
                let (withdrawn, _) = storage.pointee.sleep.compareExchange(
                    expected: ThreadHandle.sleeping, desired: ThreadHandle.empty,
                    ordering: .acquiring)
                if withdrawn { return false }
            }
        }
    }
}
