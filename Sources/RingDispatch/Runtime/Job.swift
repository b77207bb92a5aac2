internal import Synchronization

/// One unit of work on a list: a block, a queue to drain, a source to invoke, a thread to let in.
///
/// Jobs are plain memory with an intrusive link. A queue's and a source's is part of the object
/// (`JobNode`), which is on one list at a time; the others are the beginning of an `Item`.
struct Job {
    var next: JobPointer?
    /// What the job is about; which type, and whether it is retained, says `kind`.
    var object: UnsafeMutableRawPointer?
    var kind: Kind
    /// The QoS band it is served in, on a lane's run queue.
    var band: UInt8
    /// On a concurrent queue: waits for what came before, runs alone.
    var isBarrier = false

    enum Kind: UInt8 {
        /// An item: runs its block.
        case block
        /// An item: `object` is a retained `DispatchWorkItem`.
        case workItem
        /// An item: `object` is the `Peer` of a thread that waits in `sync`; not retained.
        case waiter
        /// An item: `object` is a job of a concurrent queue that passes through another one.
        case nested
        /// A node: `object` is a retained `DispatchQueue` to drain.
        case queue
        /// A node: `object` is a retained `SourceCore` to invoke.
        case source
        /// A `Chunk`: `object` is the `StreamReceiver` that it came for; not retained.
        case chunk
        /// A node: `object` is a retained `LaneStream` that has ended.
        case streamEnd
    }
}

/// A job that was submitted to a queue. Whoever takes one off its list owns it, and moves its
/// contents out (`ItemCache.take`) before it calls out, so that a nested `async` finds the memory
/// hot.
struct Item: ~Copyable {
    var job: Job
    var block: Block?
    /// Left when the item is done; the group's own count keeps it alive.
    var group: Unmanaged<DispatchGroup>?
    /// The concurrent queue among whose running items this one is; they keep it alive.
    var through: Unmanaged<DispatchQueue>?

    init(
        kind: Job.Kind, band: UInt8 = Band.default, isBarrier: Bool = false, block: Block? = nil,
        object: UnsafeMutableRawPointer? = nil, group: Unmanaged<DispatchGroup>? = nil
    ) {
        job = Job(next: nil, object: object, kind: kind, band: band, isBarrier: isBarrier)
        self.block = block
        self.group = group
        through = nil
    }
}

typealias Block = @Sendable () -> Void
typealias JobPointer = UnsafeMutablePointer<Job>
typealias ItemPointer = UnsafeMutablePointer<Item>

extension JobPointer {
    /// The item that the job begins. Only for the kinds that are items.
    @inline(__always)
    var item: ItemPointer {
        // Safety: items are made by `ItemCache`, and `job` is their first field.
        UnsafeMutableRawPointer(self).assumingMemoryBound(to: Item.self)
    }
}

/// The job of an object that is on one list at a time, inside the object: no memory of its own, no
/// cache line of its own.
///
/// Whoever sets the object's `enqueued` bit owns the node until it has pushed it; whoever takes it
/// off its list is done with it before the bit is cleared.
struct JobNode: ~Copyable {
    // Safety: atomics are the fields whose address in an object is fixed; nobody uses them as such.
    private let next = Atomic<UInt>(0)
    private let object = Atomic<UInt>(0)
    private let rest = Atomic<UInt>(0)

    /// Makes the job anew, to be pushed.
    @inline(__always)
    func prepare(_ kind: Job.Kind, band: UInt8, object: UnsafeMutableRawPointer) -> JobPointer {
        let pointer = withUnsafePointer(to: next) { first in
            UnsafeMutableRawPointer(mutating: first).assumingMemoryBound(to: Job.self)
        }
        pointer.pointee = Job(next: nil, object: object, kind: kind, band: band)
        return pointer
    }
}

/// Indices of the QoS bands on a run queue, lowest first.
enum Band {
    static let background: UInt8 = 0
    static let `default`: UInt8 = 2
    static let count = 5
}
