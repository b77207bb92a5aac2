internal import Synchronization

/// Whether an object is being set up: true until the maker lets go of it.
struct SetupPhase: ~Copyable, Sendable {
    // Cleared (releasing) by the maker or on the queue, read (acquiring) by all: who finds it false
    // sees what was set up.
    private let flag = Atomic<Bool>(true)

    @inline(__always)
    var isOn: Bool { flag.load(ordering: .acquiring) }

    func end() { flag.store(false, ordering: .releasing) }
}
