/// A one-shot wait for events of a descriptor.
struct DescriptorWait: Sendable {
    /// The poll(2) events to wait for.
    let events: UInt32
    // Safety: both are used under the lock of `Readiness`, and by the thread that took it out.
    /// The object that waits, with a reference that its wait owns.
    nonisolated(unsafe) let object: UnsafeMutableRawPointer
    /// Takes the object's reference and the poll(2) events that arrived. Runs in the loop's own
    /// code.
    nonisolated(unsafe) let complete: (UnsafeMutableRawPointer, UInt32, Context) -> Void
    /// The number of the last fetch of events that had begun before; see `Readiness`.
    var fetch: UInt64 = 0

    init(
        for events: UInt32, by object: UnsafeMutableRawPointer,
        complete: @escaping (UnsafeMutableRawPointer, UInt32, Context) -> Void
    ) {
        self.events = events
        self.object = object
        self.complete = complete
    }
}
