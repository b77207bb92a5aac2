internal import LinuxPlatform

/// Events that were read from the kernel's queue, and wait for the engine.
struct InotifyBatch: Sendable {
    struct Event: Sendable {
        /// Of the event's watch, when the event was read.
        var purpose: WatchPurpose
        var event: InotifyEvent
        var nameLength: Int
    }

    var events: [Event] = []
    /// The names of all events, one after the other.
    var names: [UInt8] = []
    var hasOverflowed = false
    /// A time at which the kernel's queue was empty, except for the events up to these. Nil if
    /// that is unknown.
    var emptiedAtNanoseconds: UInt64?

    var isEmpty: Bool { events.isEmpty && !hasOverflowed && emptiedAtNanoseconds == nil }

    mutating func add(
        _ event: InotifyEvent, for purpose: WatchPurpose,
        _ name: Slice<UnsafeRawBufferPointer>
    ) {
        events.append(Event(purpose: purpose, event: event, nameLength: name.count))
        names.append(contentsOf: name)
    }
}
