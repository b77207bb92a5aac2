internal import LinuxPlatform

/// The events for one subscriber that came with one reading of the kernel's queue.
struct InotifyBatch: Sendable {
    struct Event: Sendable {
        /// What the subscriber watches the folder for.
        var target: InotifySubscription.Target
        var event: InotifyEvent
        var nameOffset: UInt32
        var nameLength: UInt32
    }

    var events: [Event] = []
    var names: [UInt8] = []
    var hasOverflowed = false
    /// At this time the kernel's queue was empty, but for what is in the batches up to this one.
    var emptiedAtNanoseconds: UInt64?

    mutating func add(
        _ event: InotifyEvent, for target: InotifySubscription.Target,
        _ name: UnsafeRawBufferPointer
    ) {
        events.append(
            Event(
                target: target, event: event, nameOffset: UInt32(names.count),
                nameLength: UInt32(name.count)))
        names.append(contentsOf: name)
    }
}
