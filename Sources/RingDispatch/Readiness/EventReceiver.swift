/// Gets the events of a descriptor that a loop watches.
package class EventReceiver: Runnable {
    package final let descriptor: Int32
    /// The poll(2) events to watch for. Guarded by the lock of the loop's `Readiness`.
    @exclusivity(unchecked) final var events: UInt32

    init(descriptor: Int32, events: UInt32) {
        self.descriptor = descriptor
        self.events = events
    }

    /// Called by the loop's holder under the lock of its `Readiness`.
    func notify(_ events: UInt32, _ context: Context) {}
}
