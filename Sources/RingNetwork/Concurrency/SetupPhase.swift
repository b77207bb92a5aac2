internal import Synchronization

/// Whether an object is being set up: true until the maker shares it.
struct SetupPhase: ~Copyable, Sendable {
    // Cleared (releasing) by the maker or on the queue. Any thread reads it (acquiring): a reader
    // that finds it false sees everything that was set up.
    private let flag = Atomic<Bool>(true)

    @inline(__always)
    var isOn: Bool { flag.load(ordering: .acquiring) }

    func end() { flag.store(false, ordering: .releasing) }
}
