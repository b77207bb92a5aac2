internal import LinuxPlatform
internal import Synchronization

/// What a `DispatchIO` does, apart from the object that the program holds; also the short-lived
/// channel of a convenience read or write.
///
/// It is over when it was closed and all its operations have ended. Its descriptor lets it go then,
/// and its cleanup handler is called when the descriptor itself is let go.
final class IOChannel: @unchecked Sendable {
    // Safety: the state is atomic, what else changes is locked or set before the channel is shared.
    let type: DispatchIO.StreamType
    let descriptor: IODescriptor
    /// The channel of one operation, whose handler is called once: as the cleanup.
    let isConvenience: Bool
    /// Where the file's position was: what offsets of a random channel count from.
    @exclusivity(unchecked) var base: Int64 = 0
    /// Closed, stopped, failed; and, from bit 8, how many keep it: being open, and each operation.
    private let state = Atomic<UInt64>(IOChannel.oneUse)
    /// Why the channel failed. Written (relaxed) before `failed` is set (releasing).
    private let failureCode = Atomic<Int32>(0)
    private let cleanup = Locked<IOCleanup?>(nil)
    private let storedLimits = Locked(IOLimits())

    private static let closed: UInt64 = 1
    private static let stopped: UInt64 = 2
    private static let failed: UInt64 = 4
    private static let oneUse: UInt64 = 1 << 8

    init(
        _ type: DispatchIO.StreamType, _ descriptor: IODescriptor, isConvenience: Bool = false,
        cleanup: IOCleanup?
    ) {
        self.type = type
        self.descriptor = descriptor
        self.isConvenience = isConvenience
        setCleanup(cleanup)
        IOStatistics.liveChannels.wrappingAdd(1, ordering: .relaxed)
    }

    deinit { IOStatistics.liveChannels.wrappingSubtract(1, ordering: .relaxed) }

    func setCleanup(_ new: IOCleanup?) { cleanup.withLock { $0 = new } }

    var limits: IOLimits { storedLimits.withLock { $0 } }

    func updateLimits(_ change: (inout IOLimits) -> Void) {
        storedLimits.withLock { limits in
            var new = limits
            change(&new)
            limits = new
        }
    }

    private let storedBarrierQueue = Locked<DispatchQueue?>(nil)

    /// Where barriers run; nil: on the default global queue.
    var barrierQueue: DispatchQueue? {
        get { storedBarrierQueue.withLock { $0 } }
        set { storedBarrierQueue.withLock { $0 = newValue } }
    }

    /// Looks at the descriptor of a channel that was just made.
    func prepare() {
        guard descriptor.path == nil else { return }
        if descriptor.error != 0 {
            fail(descriptor.error)
        } else if type == .random {
            if descriptor.kind == .file, let position = OpenFile.position(descriptor.number) {
                base = position
            } else {
                fail(ErrorCode.cannotSeek)
            }
        }
    }

    // MARK: life

    var isStopped: Bool { word & IOChannel.stopped != 0 }
    var isClosed: Bool { word & IOChannel.closed != 0 }
    private var word: UInt64 { state.load(ordering: .acquiring) }

    /// Why operations fail at once: 0 if they do not.
    var failure: Int32 {
        let word = self.word
        if word & IOChannel.closed != 0 { return ErrorCode.cancelled }
        return word & IOChannel.failed != 0 ? failureCode.load(ordering: .relaxed) : 0
    }

    /// The cleanup handler's argument.
    var outcome: Int32 {
        word & IOChannel.failed != 0 ? failureCode.load(ordering: .relaxed) : 0
    }

    /// An operation or a barrier begins to use the channel.
    /// - Parameter evenIfClosed: while anything else still does.
    /// - Returns: 0, or the error that it ends with.
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

    private func endUse() {
        let new = state.wrappingSubtract(
            IOChannel.oneUse, ordering: .acquiringAndReleasing
        ).newValue
        if new < IOChannel.oneUse { descriptor.leave(self, Context.current) }
    }

    /// The handler's last call has returned.
    func operationEnded(_ operation: IOOperation) {
        descriptor.useEnded(Context.current)
        endUse()
    }

    func barrierEnded() { endUse() }

    /// No further operations. Those under way go on, or are aborted.
    func close(isStop: Bool) {
        let bits = IOChannel.closed | (isStop ? IOChannel.stopped : 0)
        let old = state.bitwiseOr(bits, ordering: .acquiringAndReleasing).oldValue
        if isStop && old & IOChannel.stopped == 0 { descriptor.sweep(Context.current) }
        if old & (IOChannel.closed | IOChannel.failed) == 0 { endUse() }
    }

    /// The channel cannot be used. The first failure counts.
    func fail(_ code: Int32) {
        let isFirst = failureCode.compareExchange(
            expected: 0, desired: code, ordering: .relaxed
        ).exchanged
        guard isFirst else { return }
        let old = state.bitwiseOr(IOChannel.failed, ordering: .acquiringAndReleasing).oldValue
        if old & (IOChannel.closed | IOChannel.failed) == 0 { endUse() }
    }

    /// Nobody uses the descriptor any more. Called once.
    func cleanUp() {
        let last = cleanup.withLock { cleanup -> IOCleanup? in
            defer { cleanup = nil }
            return cleanup
        }
        last?.submit(outcome)
    }
}
