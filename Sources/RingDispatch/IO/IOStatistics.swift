internal import Synchronization

/// Counts of live `DispatchIO` objects. Relaxed: only tests and statistics read them.
package enum IOStatistics {
    static let liveOperations = Atomic<Int>(0)
    static let liveChannels = Atomic<Int>(0)
    static let liveDescriptors = Atomic<Int>(0)
    static let liveBuffers = Atomic<Int>(0)

    /// Reads and writes whose handler has not returned from its last call.
    package static var operations: Int { liveOperations.load(ordering: .relaxed) }

    /// Existing channels, and convenience reads and writes.
    package static var channels: Int { liveChannels.load(ordering: .relaxed) }

    /// Descriptors and paths in use by channels.
    package static var descriptors: Int { liveDescriptors.load(ordering: .relaxed) }

    /// Buffers being read into, or retained by data that was read.
    package static var buffersInUse: Int { liveBuffers.load(ordering: .relaxed) }
}
