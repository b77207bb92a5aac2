/// What other threads see of a thread: who it is, and where it sleeps.
///
/// A pointer: it costs no reference counting, and lives as long as the thread.
struct ThreadHandle: Equatable, @unchecked Sendable {
    // Safety: the fields are immutable or atomic, and each use is by the thread itself or while the
    // thread waits.
    private let storage: UnsafeMutablePointer<Storage>

    private struct Storage: ~Copyable {
        let identifier: UInt32
        let parker = Parker()
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

    /// Lets the thread go on, from its `park` or the next one.
    func grant() { storage.pointee.parker.grant() }
    @inline(__always)
    func tryTakeGrant() -> Bool { storage.pointee.parker.tryTake() }
    func park(deadline: UInt64? = nil) -> Bool { storage.pointee.parker.sleep(deadline: deadline) }
}
