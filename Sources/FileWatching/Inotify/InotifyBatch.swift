internal import LinuxPlatform

/// One subscriber's events from one read of the kernel's queue.
struct InotifyBatch: Sendable {
    struct Event: Sendable {
        /// The subscriber's purpose of the watch.
        var target: InotifySubscription.Target
        var event: InotifyEvent
        var nameOffset: UInt32
        var nameLength: UInt32
    }

    var events: [Event] = []
    var names: [UInt8] = []
    var hasOverflowed = false
    /// A time at which the kernel's queue was empty, except for the events up to this batch. Nil if
    /// that is unknown.
    var emptiedAtNanoseconds: UInt64?

    mutating func add(
        _ event: InotifyEvent, for target: InotifySubscription.Target,
        _ name: Slice<UnsafeRawBufferPointer>
    ) {
        events.append(
            Event(
                target: target, event: event, nameOffset: UInt32(names.count),
                nameLength: UInt32(name.count)))
        names.append(contentsOf: name)
    }
}
