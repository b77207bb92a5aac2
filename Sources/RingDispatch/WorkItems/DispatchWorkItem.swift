internal import LinuxPlatform
internal import Synchronization

/// A block with an identity: it can be cancelled, waited for and followed by others.
/// `dispatch_block_create`.
///
/// `wait` and `notify` are about its first run.
public final class DispatchWorkItem: @unchecked Sendable {
    // Safety: the block is read by who set `started` before `cancelled` was, and goes when it was
    // the other way round; the state is atomic.
    private var block: (() -> Void)?
    let qos: DispatchQoS
    let flags: DispatchWorkItemFlags
    /// Entered once for the first run.
    private let completion = DispatchGroup()
    private let state = Atomic<UInt8>(0)

    private static let cancelled: UInt8 = 1
    private static let done: UInt8 = 2
    private static let started: UInt8 = 4

    /// `dispatch_block_create_with_qos_class`.
    public init(
        qos: DispatchQoS = .unspecified, flags: DispatchWorkItemFlags = [],
        block: @escaping () -> Void
    ) {
        self.block = block
        self.qos = qos
        self.flags = flags
        completion.enter()
    }

    deinit {
        // It never ran, and no caller is left to wait.
        if state.load(ordering: .relaxed) & DispatchWorkItem.done == 0 { completion.leave() }
    }

    /// Runs the block here and now, unless it was cancelled. `dispatch_block_perform`.
    public func perform() {
        let before = state.bitwiseOr(
            DispatchWorkItem.started, ordering: .acquiringAndReleasing
        ).oldValue
        if before & DispatchWorkItem.cancelled == 0 { block?() }
        let old = state.bitwiseOr(DispatchWorkItem.done, ordering: .acquiringAndReleasing).oldValue
        if old & DispatchWorkItem.done == 0 { completion.leave() }
    }

    /// Keeps the block from being started, and frees what it captured; one that runs goes on.
    /// `dispatch_block_cancel`.
    public func cancel() {
        let before = state.bitwiseOr(
            DispatchWorkItem.cancelled, ordering: .acquiringAndReleasing
        ).oldValue
        if before & (DispatchWorkItem.cancelled | DispatchWorkItem.started) == 0 { block = nil }
    }

    /// `dispatch_block_testcancel`.
    public var isCancelled: Bool {
        state.load(ordering: .acquiring) & DispatchWorkItem.cancelled != 0
    }

    /// Waits until the item has run, or was passed over because it is cancelled.
    /// `dispatch_block_wait`.
    public func wait() { completion.wait() }

    /// The same, until a time.
    public func wait(timeout: DispatchTime) -> DispatchTimeoutResult {
        completion.wait(timeout: timeout)
    }

    /// The same, until a time by the wall clock.
    public func wait(wallTimeout: DispatchWallTime) -> DispatchTimeoutResult {
        completion.wait(wallTimeout: wallTimeout)
    }

    /// Submits a block to a queue when the item has run. `dispatch_block_notify`.
    public func notify(
        qos: DispatchQoS = .unspecified, flags: DispatchWorkItemFlags = [], queue: DispatchQueue,
        execute: @escaping () -> Void
    ) {
        completion.notify(qos: qos, flags: flags, queue: queue, execute: execute)
    }

    /// Submits another work item when this one has run.
    public func notify(queue: DispatchQueue, execute: DispatchWorkItem) {
        completion.notify(queue: queue, work: execute)
    }
}
