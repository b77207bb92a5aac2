internal import Synchronization

/// A work item inside the object that it stands for. It needs no memory of its own, and the object
/// can be on one list at a time.
///
/// The thread that sets the object's `enqueued` bit owns the node until the push. The thread that
/// takes it off the list is done with it before it clears the bit.
struct WorkItemNode: ~Copyable {
    // Safety: only an atomic field has a fixed address inside an object; they are not used as
    // atomics.
    private let next = Atomic<UInt>(0)
    private let object = Atomic<UInt>(0)
    private let rest = Atomic<UInt>(0)

    /// Fills in the work item, ready to be pushed.
    @inline(__always)
    func prepare(_ kind: WorkItem.Kind, priority: UInt8, object: UnsafeMutableRawPointer)
        -> WorkItemPointer
    {
        let pointer = withUnsafePointer(to: next) { first in
            UnsafeMutableRawPointer(mutating: first).assumingMemoryBound(to: WorkItem.self)
        }
        pointer.pointee = WorkItem(next: nil, kind: kind, priority: priority, object: object)
        return pointer
    }
}
