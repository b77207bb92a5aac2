internal import LinuxPlatform

/// One subscriber's events from one read of the kernel's queue.
struct InotifyBatch: Sendable {
    struct Event: Sendable {
        /// The subscriber's purpose of the watch.
        var target: InotifySubscription.Target
        var event: InotifyEvent
        var nameLength: Int
    }

    var events: [Event] = []
    /// The names of all events, one after the other.
    var names: [UInt8] = []
    var hasOverflowed = false
    /// A time at which the kernel's queue was empty, except for the events up to this batch. Nil if
    /// that is unknown.
    var emptiedAtNanoseconds: UInt64?

    var isEmpty: Bool { events.isEmpty && !hasOverflowed && emptiedAtNanoseconds == nil }

    /// Adds what was read later.
    mutating func append(_ later: InotifyBatch) {
        events += later.events
        names += later.names
        hasOverflowed = hasOverflowed || later.hasOverflowed
        emptiedAtNanoseconds = later.emptiedAtNanoseconds ?? emptiedAtNanoseconds
    }

    mutating func add(
        _ event: InotifyEvent, for target: InotifySubscription.Target,
        _ name: Slice<UnsafeRawBufferPointer>
    ) {
        events.append(Event(target: target, event: event, nameLength: name.count))
        names.append(contentsOf: name)
    }
}
