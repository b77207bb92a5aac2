internal import LinuxPlatform
internal import Synchronization

/// An edge-triggered watch of a descriptor: a connection or a listening socket.
///
/// An event puts the watch's work item onto its queue, where `ready` makes the calls until nothing
/// is left. Further events wait in `pending` meanwhile. The watch keeps itself alive until `end`.
package class DescriptorWatch: EventReceiver, @unchecked Sendable {
    // Safety: `isWatching` and `isOver` belong to the queue, the rest is constant or atomic.
    /// The serial queue that `ready` runs on.
    package final let queue: DispatchQueue
    final let loop: EventLoop
    private final let node = WorkItemNode()
    /// The events that `ready` has not received, and `queued`.
    ///
    /// The loop's holder adds events (acquiring and releasing) and pushes the work item if `queued`
    /// was not set. The work item takes the events by an exchange, and clears `queued` when it is
    /// over, unless more have arrived.
    private final let pending = Atomic<UInt32>(0)
    /// The work item is on its queue, or running.
    private static let queued: UInt32 = 1 << 31
    /// Between `begin` and `end`.
    @exclusivity(unchecked) package private(set) final var isWatching = false
    @exclusivity(unchecked) private final var isOver = false

    /// - Parameter loopNumber: selects the loop, modulo their number; nil: the next loop in turn.
    init(descriptor: Int32, queue: DispatchQueue, events: UInt32, loopNumber: Int? = nil) {
        queue.requireSerial()
        self.queue = queue
        loop =
            loopNumber.map { Runtime.shared.loop(number: $0) }
            ?? Runtime.shared.loopForNewSource()
        super.init(descriptor: descriptor, events: events | PollEvents.edgeTriggered)
    }

    /// Selects the loop of another watch as the loop of this one.
    package final var loopNumber: Int { loop.index }

    // MARK: for subclasses

    /// Handles events. On the queue.
    /// - Parameter events: poll(2) events; none if `ready` has requested this call.
    /// - Returns: whether to call again, after the queue's other work.
    func ready(_ events: UInt32, _ context: Context) -> Bool { false }

    // MARK: on the queue, or before anything else

    /// Begins to watch; events that hold already are reported. Returns 0 or an errno.
    ///
    /// `ready` may run before this returns if the caller is not on the queue.
    package final func begin() -> Int32 {
        precondition(!isOver, "a watch began after its end")
        isWatching = true
        let reference = Unmanaged.passRetained(self)
        let code = loop.begin(self)
        if code != 0 {
            isWatching = false
            reference.release()
        }
        return code
    }

    /// Ends the watch. `ready` is not called again, and the descriptor may be closed at once.
    package final func end() {
        guard isWatching else { return }
        isWatching = false
        isOver = true
        loop.readiness.remove(self)
        // Otherwise the work item is on its way, and releases the watch.
        let isQueued = pending.load(ordering: .acquiring) & DescriptorWatch.queued != 0
        if !isQueued { Unmanaged.passUnretained(self).release() }
    }

    /// Watches for further events, too; those that hold already are reported. Call it between
    /// `begin` and `end`. Returns 0 or an errno.
    final func extend(by events: UInt32) -> Int32 {
        loop.readiness.extend(self, by: events)
    }

    /// Calls `ready` soon, without an event.
    final func callReady() {
        if isWatching { notify(0, Context.current) }
    }

    // MARK: events

    /// Called by the loop's holder under the readiness lock, or on the queue.
    override final func notify(_ events: UInt32, _ context: Context) {
        let before = pending.bitwiseOr(
            events | DescriptorWatch.queued, ordering: .acquiringAndReleasing
        ).oldValue
        if before & DescriptorWatch.queued == 0 { push(context) }
    }

    @inline(__always)
    private final func push(_ context: Context) {
        let object = Unmanaged.passUnretained(self).toOpaque()
        queue.push(node.prepare(.object, priority: queue.priority, object: object), context)
    }

    /// Runs as the work item. Returns whether the watch is over.
    override final func run(priority: UInt8, _ context: Context) -> Bool {
        if isOver { return true }
        let queued = DescriptorWatch.queued
        let events = pending.exchange(queued, ordering: .acquiringAndReleasing) & ~queued
        let goesOn = ready(events, context)
        if isOver { return true }
        let isDone =
            !goesOn
            && pending.compareExchange(
                expected: queued, desired: 0, ordering: .acquiringAndReleasing
            ).exchanged
        if !isDone { push(context) }
        return false
    }
}

extension DispatchQueue {
    /// Ends the process if connections and listeners cannot run on the queue.
    package func requireSerial() {
        if isSerial { return }
        fatalMisuse(
            "queue '\(label)' is concurrent: a connection or a listener needs a serial one")
    }
}
