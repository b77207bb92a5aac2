internal import Ring

/// An event of a folder that an engine watches.
struct RoutedEvent: Sendable {
    /// The node that the engine watches the folder for.
    var target: WatchTarget
    var event: FileEvent
    var nameOffset: UInt32
    var nameLength: UInt32
}

/// What one reading of the kernel's queue has for one engine.
struct EventBatch: Sendable {
    var events: [RoutedEvent] = []
    var names: [UInt8] = []
    var hasOverflowed = false
    /// At this time the kernel's queue was empty, but for what is in the batches up to this one.
    var emptiedAtNanoseconds: UInt64?

    mutating func add(
        _ event: FileEvent, for target: WatchTarget, _ name: UnsafeRawBufferPointer
    ) {
        events.append(
            RoutedEvent(
                target: target, event: event, nameOffset: UInt32(names.count),
                nameLength: UInt32(name.count)))
        names.append(contentsOf: name)
    }
}

/// A batch for each engine that it has something for: few.
struct EventBatches {
    typealias Entry = (number: UInt32, engine: WatchEngine, batch: EventBatch)

    var all: [Entry] = []

    /// The place of an engine's batch, which is made at first use; nil: there is no such engine.
    mutating func index(of number: UInt32, in engines: [UInt32: WatchEngine]) -> Int? {
        if let known = all.firstIndex(where: { $0.number == number }) { return known }
        guard let engine = engines[number] else { return nil }
        all.append((number, engine, EventBatch()))
        return all.count - 1
    }
}

/// What a folder is watched for.
enum WatchTarget: Hashable, Sendable {
    /// Its entries.
    case node(NodeNumber)
    /// A root, or something on the way to it, that is to be found in it.
    case anchor(UInt32)
}

/// One engine's interest in a folder.
struct Subscription: Hashable, Sendable {
    var engine: UInt32
    var target: WatchTarget
}
