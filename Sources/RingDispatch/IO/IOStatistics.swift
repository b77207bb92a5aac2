internal import Synchronization

/// What of `DispatchIO` is alive, for tests and statistics. Nothing depends on the figures, which
/// are read and written relaxed.
package enum IOStatistics {
    static let liveOperations = Atomic<Int>(0)
    static let liveChannels = Atomic<Int>(0)
    static let liveDescriptors = Atomic<Int>(0)

    /// Reads and writes whose handler has not returned from its last call.
    package static var operations: Int { liveOperations.load(ordering: .relaxed) }

    /// Channels that exist, and convenience reads and writes.
    package static var channels: Int { liveChannels.load(ordering: .relaxed) }

    /// Descriptors and paths that channels use.
    package static var descriptors: Int { liveDescriptors.load(ordering: .relaxed) }

    /// Buffers that are being read into, or that data which was read is in.
    package static var buffersInUse: Int { IOBufferPool.usedCount }
}
