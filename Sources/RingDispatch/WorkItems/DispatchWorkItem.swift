internal import LinuxPlatform
internal import Synchronization

/// A block that can be cancelled, waited for and followed by other work. `dispatch_block_create`.
///
/// `wait` and `notify` refer to its first run.
public final class DispatchWorkItem: Sendable {
    // Safety: `perform` uses `block` only if it set `started` before `cancelled` was set; `cancel`
    // frees it only in the opposite case.
    private nonisolated(unsafe) var block: (() -> Void)?
    let qos: DispatchQoS
    let flags: DispatchWorkItemFlags
    /// Entered at creation, left after the first run.
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
        // The item never ran, and no caller is left to wait.
        if state.load(ordering: .relaxed) & DispatchWorkItem.done == 0 { completion.leave() }
    }

    /// Runs the block on the calling thread, unless it was cancelled. `dispatch_block_perform`.
    public func perform() {
        if begin() { block?() }
        end()
    }

    /// Performs the item for the only time, and frees the block's captures.
    func performOnce() {
        if begin() { block.take()?() }
        end()
    }

    /// Returns whether the block may run.
    private func begin() -> Bool {
        let before = state.bitwiseOr(
            DispatchWorkItem.started, ordering: .acquiringAndReleasing
        ).oldValue
        return before & DispatchWorkItem.cancelled == 0
    }

    private func end() {
        let old = state.bitwiseOr(DispatchWorkItem.done, ordering: .acquiringAndReleasing).oldValue
        if old & DispatchWorkItem.done == 0 { completion.leave() }
    }

    /// Keeps the block from starting; a running block continues. Frees the captures of a block that
    /// has never started. Where the item was submitted, its turn still comes: it is skipped then,
    /// and `wait` and `notify` go on. `dispatch_block_cancel`.
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

    /// Waits until the item has run or was skipped because it is cancelled. `dispatch_block_wait`.
    public func wait() { completion.wait() }

    /// Like `wait()`, with a time-out.
    public func wait(timeout: DispatchTime) -> DispatchTimeoutResult {
        completion.wait(timeout: timeout)
    }

    /// Like `wait()`, with a time-out by the wall clock.
    public func wait(wallTimeout: DispatchWallTime) -> DispatchTimeoutResult {
        completion.wait(wallTimeout: wallTimeout)
    }

    /// Submits a block to a queue once the item has run. `dispatch_block_notify`.
    public func notify(
        qos: DispatchQoS = .unspecified, flags: DispatchWorkItemFlags = [], queue: DispatchQueue,
        execute: @escaping () -> Void
    ) {
        completion.notify(qos: qos, flags: flags, queue: queue, execute: execute)
    }

    /// Submits another work item once this one has run.
    public func notify(queue: DispatchQueue, execute: DispatchWorkItem) {
        completion.notify(queue: queue, work: execute)
    }
}
