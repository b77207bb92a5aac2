internal import Synchronization

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
