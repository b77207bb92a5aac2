internal import LinuxPlatform
internal import Synchronization

/// The core of a `DispatchIO`, or the short-lived channel of a convenience read or write.
///
/// A channel is over when it is closed and its operations have ended; it then leaves its
/// descriptor. Its cleanup handler is called when the descriptor is released.
final class IOChannel: Sendable {
    let type: DispatchIO.StreamType
    let descriptor: IODescriptor
    /// The channel of one operation, whose handler is called as the cleanup handler.
    let isConvenience: Bool
    /// The file position at creation, to which a random channel's offsets are relative; nil if the
    /// descriptor has none. 0 for a path, and for a stream.
    private let position: Int64?
    /// Bits 0-2: closed, stopped, failed. From bit 8: uses, one for being open and one for each
    /// operation and barrier. Changes acquire and release.
    private let state = Atomic<UInt64>(IOChannel.oneUse)
    /// The reason of the failure. Written (relaxed) before `failed` is set (releasing).
    private let failureCode = Atomic<Int32>(0)
    let cleanup: Locked<IOCleanup?>
    let limits = Locked(IOLimits())
    /// The queue of barriers; nil means the default global queue.
    let barrierQueue = Locked<DispatchQueue?>(nil)

    private static let closed: UInt64 = 1
    private static let stopped: UInt64 = 2
    private static let failed: UInt64 = 4
    private static let oneUse: UInt64 = 1 << 8

    /// - Parameter cleanup: nil for a convenience read or write.
    init(_ type: DispatchIO.StreamType, _ descriptor: IODescriptor, cleanup: IOCleanup?) {
        self.type = type
        self.descriptor = descriptor
        isConvenience = cleanup == nil
        if type == .stream || descriptor.path != nil {
            position = 0
        } else {
            position = descriptor.kind == .file ? Descriptors.position(descriptor.number) : nil
        }
        self.cleanup = Locked(cleanup)
        if !isConvenience { descriptor.register(self) }
        IOStatistics.liveChannels.wrappingAdd(1, ordering: .relaxed)
    }

    deinit { IOStatistics.liveChannels.wrappingSubtract(1, ordering: .relaxed) }

    /// Checks the descriptor of a new channel.
    func prepare() {
        guard descriptor.path == nil else { return }
        if descriptor.error != 0 {
            fail(descriptor.error)
        } else if position == nil {
            failSeeking()
        }
    }

    /// Ends a random channel of what has no offsets, at once, although others may go on.
    func failSeeking() {
        fail(ErrorCode.cannotSeek)
        cleanUp()
    }

    var base: Int64 { position ?? 0 }

    // MARK: lifetime

    var isStopped: Bool { word & IOChannel.stopped != 0 }
    private var word: UInt64 { state.load(ordering: .acquiring) }

    /// The error with which new operations end at once; 0 if they may run.
    var failure: Int32 {
        word & IOChannel.closed != 0 ? ErrorCode.cancelled : outcome
    }

    /// The argument of the cleanup handler.
    private var outcome: Int32 {
        word & IOChannel.failed != 0 ? failureCode.load(ordering: .relaxed) : 0
    }

    /// Counts an operation or barrier as a use of the channel.
    /// - Parameter evenIfClosed: allows a closed or failed channel that still has other uses.
    /// - Returns: 0, or the error with which the operation ends.
    func begin(evenIfClosed: Bool = false) -> Int32 {
        var old = word
        while true {
            let isOver = old < IOChannel.oneUse
            let isRefused = old & (IOChannel.closed | IOChannel.failed) != 0
            if isOver || isRefused && !evenIfClosed { return failure }
            let (exchanged, now) = state.weakCompareExchange(
                expected: old, desired: old + IOChannel.oneUse, ordering: .acquiringAndReleasing)
            if exchanged { return 0 }
            old = now
        }
    }

    /// Ends the use by a barrier, or one that ends otherwise.
    func endUse() {
        let new = state.wrappingSubtract(
            IOChannel.oneUse, ordering: .acquiringAndReleasing
        ).newValue
        if new < IOChannel.oneUse { descriptor.leave(self) }
    }

    /// Called after the handler's last call has returned.
    func operationEnded() {
        descriptor.useEnded()
        endUse()
    }

    /// Refuses further operations. Earlier ones continue, or are aborted.
    func close(isStop: Bool) {
        let bits = IOChannel.closed | (isStop ? IOChannel.stopped : 0)
        let old = state.bitwiseOr(bits, ordering: .acquiringAndReleasing).oldValue
        if isStop && old & IOChannel.stopped == 0 { descriptor.sweep() }
        if old & (IOChannel.closed | IOChannel.failed) == 0 { endUse() }
    }

    /// Makes the channel unusable. The first error is kept.
    func fail(_ code: Int32) {
        let isFirst = failureCode.compareExchange(
            expected: 0, desired: code, ordering: .relaxed
        ).exchanged
        guard isFirst else { return }
        let old = state.bitwiseOr(IOChannel.failed, ordering: .acquiringAndReleasing).oldValue
        if old & (IOChannel.closed | IOChannel.failed) == 0 { endUse() }
    }

    /// Calls the cleanup handler, unless that was done: once the descriptor is no longer used.
    func cleanUp() { cleanup.withLock { $0.take() }?.submit(outcome) }
}
