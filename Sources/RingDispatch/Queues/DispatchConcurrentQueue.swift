/// A queue that runs items concurrently, and barriers alone.
public final class DispatchConcurrentQueue: DispatchQueue, @unchecked Sendable {
    // Safety: as its superclass.
    override class var fixedKind: Kind? { .concurrent }
}
