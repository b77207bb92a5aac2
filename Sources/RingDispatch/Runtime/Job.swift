/// One unit of work on a list: a block, a queue to drain, a source to invoke, a thread to let in.
///
/// Jobs are plain memory with an intrusive link. Whoever takes one off its list owns it, and moves
/// its contents out (`JobCache.take`) before it calls out, so that a nested `async` finds the
/// memory hot.
struct Job: ~Copyable {
    var next: JobPointer?
    var kind: Kind
    /// The QoS band it is served in, on a lane's run queue.
    var band: UInt8
    /// On a concurrent queue: waits for what came before, runs alone.
    var isBarrier: Bool
    var block: Block?
    /// What the job is about; which type, and whether it is retained, says `kind`.
    var object: UnsafeMutableRawPointer?
    /// Left when the job is done; the group's own count keeps it alive.
    var group: Unmanaged<DispatchGroup>?
    /// The concurrent queue among whose running items the job is; they keep it alive.
    var through: Unmanaged<DispatchQueue>?

    enum Kind: UInt8 {
        /// Runs `block`.
        case block
        /// `object` is a retained `DispatchWorkItem`.
        case workItem
        /// `object` is a retained `DispatchQueue` to drain.
        case queue
        /// `object` is a retained `SourceCore` to invoke.
        case source
        /// `object` is the `Peer` of a thread that waits in `sync`; not retained.
        case waiter
        /// `object` is a job of a concurrent queue that passes through another one.
        case nested
    }

    init(
        kind: Kind, band: UInt8 = Band.default, isBarrier: Bool = false, block: Block? = nil,
        object: UnsafeMutableRawPointer? = nil, group: Unmanaged<DispatchGroup>? = nil
    ) {
        next = nil
        self.kind = kind
        self.band = band
        self.isBarrier = isBarrier
        self.block = block
        self.object = object
        self.group = group
        through = nil
    }
}

typealias Block = @Sendable () -> Void
typealias JobPointer = UnsafeMutablePointer<Job>

/// Indices of the QoS bands on a run queue, lowest first.
enum Band {
    static let background: UInt8 = 0
    static let `default`: UInt8 = 2
    static let count = 5
}
