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

typealias JobPointer = UnsafeMutablePointer<Job>

extension JobPointer? {
    /// The linked list that the job begins, turned around.
    @inline(__always)
    func reversed() -> JobPointer? {
        var rest = self
        var turned: JobPointer?
        while let job = rest {
            rest = job.pointee.next
            job.pointee.next = turned
            turned = job
        }
        return turned
    }
}
