/// The part of a thread that other threads use: its identifier and its parker.
///
/// A pointer, without reference counting, that is valid as long as the thread.
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

    /// Ends the thread's current `park`, or its next one.
    func grant() { storage.pointee.parker.grant() }
    @inline(__always)
    func tryTakeGrant() -> Bool { storage.pointee.parker.tryTake() }
    func park(deadline: UInt64? = nil) -> Bool { storage.pointee.parker.sleep(deadline: deadline) }
}
