internal import Synchronization

/// The work item of an object that is on one list at a time, inside the object: no memory of its own, no
/// cache line of its own.
///
/// Whoever sets the object's `enqueued` bit owns the node until it has pushed it; whoever takes it
/// off its list is done with it before the bit is cleared.
struct WorkItemNode: ~Copyable {
    // Safety: atomics are the fields whose address in an object is fixed; nobody uses them as such.
    private let next = Atomic<UInt>(0)
    private let object = Atomic<UInt>(0)
    private let rest = Atomic<UInt>(0)

    /// Makes the work item anew, to be pushed.
    @inline(__always)
    func prepare(_ kind: WorkItem.Kind, priority: UInt8, object: UnsafeMutableRawPointer)
        -> WorkItemPointer
    {
        let pointer = withUnsafePointer(to: next) { first in
            UnsafeMutableRawPointer(mutating: first).assumingMemoryBound(to: WorkItem.self)
        }
        pointer.pointee = WorkItem(next: nil, object: object, kind: kind, priority: priority)
        return pointer
    }
}
