/// An object that waits for events of a descriptor.
protocol DescriptorWaiter: AnyObject {
    /// Takes the poll(2) events that arrived. Runs in the loop's own code.
    func waitEnded(_ events: UInt32, _ context: Context)
}

/// A one-shot wait for events of a descriptor. It keeps its object alive.
struct DescriptorWait: Sendable {
    /// The poll(2) events to wait for.
    let events: UInt32
    // Safety: used under the lock of `Readiness`, and by the thread that took the wait out.
    nonisolated(unsafe) let waiter: any DescriptorWaiter
    /// The number of the last fetch of events that had begun before; see `Readiness`.
    var fetch: UInt64 = 0

    init(for events: UInt32, by waiter: any DescriptorWaiter) {
        self.events = events
        self.waiter = waiter
    }
}
