internal import Synchronization

/// How far the process's channels read ahead of their handlers: the bytes requested from files, and
/// those on their way to a handler in calls before the last one. If many files are read at once,
/// this bounds their memory. What a low water mark collects is not counted.
enum ReadAhead {
    private static let most = 1 << 23
    /// Relaxed: guards no data, and a late value only moves the bound.
    private static let bytes = Atomic<Int>(0)

    static func add(_ count: Int) { bytes.wrappingAdd(count, ordering: .relaxed) }
    static func remove(_ count: Int) { bytes.wrappingSubtract(count, ordering: .relaxed) }

    /// Each operation should have one request, or one large handler call, at a time.
    static var isLong: Bool { bytes.load(ordering: .relaxed) > most }
}
