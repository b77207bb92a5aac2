internal import LinuxPlatform
internal import Synchronization

/// A place where one thread sleeps until another thread grants its return. One `grant` for each
/// `sleep`.
///
/// The exchange in `grant` (releasing) pairs with the loads in `tryTake` and `sleep` (acquiring):
/// the woken thread sees the earlier writes of the granting one. After that exchange the granting
/// thread no longer accesses the parker's memory, so the sleeper may free it at once.
struct Parker: ~Copyable {
    /// Safety: allocated and freed with the thread's context; its address is a futex.
    private let word: UnsafeMutablePointer<Atomic<UInt32>>

    private static let empty: UInt32 = 0
    private static let sleeping: UInt32 = 1
    private static let granted: UInt32 = 2

    init() {
        word = .allocate(capacity: 1)
        word.initialize(to: Atomic(Parker.empty))
    }

    deinit {
        word.deinitialize(count: 1)
        word.deallocate()
    }

    func grant() {
        let address = UnsafeMutableRawPointer(word)
        let before = word.pointee.exchange(Parker.granted, ordering: .acquiringAndReleasing)
        if before == Parker.sleeping { Futex.wake(address) }
    }

    /// Consumes the grant if there is one.
    @inline(__always)
    func tryTake() -> Bool {
        guard word.pointee.load(ordering: .acquiring) == Parker.granted else { return false }
        word.pointee.store(Parker.empty, ordering: .relaxed)
        return true
    }

    /// Sleeps until a grant, or until the deadline on CLOCK_MONOTONIC (`.max`: never). Returns
    /// false if the deadline passed first.
    func sleep(deadline: UInt64 = .max) -> Bool {
        while true {
            let (exchanged, original) = word.pointee.compareExchange(
                expected: Parker.empty, desired: Parker.sleeping, ordering: .acquiring)
            if !exchanged && original == Parker.granted {
                word.pointee.store(Parker.empty, ordering: .relaxed)
                return true
            }
            let isLate = Futex.wait(word, expected: Parker.sleeping, deadline: deadline)
            if tryTake() { return true }
            if isLate {
                let (withdrawn, _) = word.pointee.compareExchange(
                    expected: Parker.sleeping, desired: Parker.empty, ordering: .acquiring)
                if withdrawn { return false }
            }
        }
    }
}
