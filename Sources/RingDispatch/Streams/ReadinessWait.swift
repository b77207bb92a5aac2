internal import LinuxPlatform

/// Waits until a descriptor is ready, once for each `start`. The caller then makes the system calls
/// itself. For descriptors that the library uses itself; connections and listeners have a
/// `DescriptorWatch`.
package final class ReadinessWait: DescriptorWaiter, Sendable {
    private let descriptor: Int32
    private let events: UInt32
    private let queue: DispatchQueue
    private let loop: EventLoop
    private let handler: @Sendable (UInt32) -> Void
    /// Belongs to the queue.
    private let state = Confined(State())

    private struct State {
        var isWaiting = false
        var hasStarted = false
        /// Number of ends on their way to the queue whose wait was cancelled.
        var ignored = 0
    }

    /// - Parameters:
    ///   - queue: a serial queue, which runs the handler and owns the object.
    ///   - events: the events to wait for; see `PollEvents`.
    ///   - handler: called on the queue, once for each `start`, with the poll(2) events that hold:
    ///     `PollEvents.invalid` if the descriptor is unusable.
    package init(
        descriptor: Int32, queue: DispatchQueue, events: UInt32,
        handler: @escaping @Sendable (UInt32) -> Void
    ) {
        self.descriptor = descriptor
        self.queue = queue
        self.events = events
        self.handler = handler
        loop = Runtime.shared.loopForNewSource()
    }

    // MARK: on the queue

    /// Starts to wait, unless a wait is already in progress. The object stays alive meanwhile.
    package func start() {
        guard !state.value.isWaiting else { return }
        let isFirst = !state.value.hasStarted
        // Before the wait begins: the handler may run before this returns.
        state.value.isWaiting = true
        state.value.hasStarted = true
        let wait = DescriptorWait(for: events, by: self)
        let code = loop.begin(wait, for: descriptor, isFirst: isFirst)
        if code == 0 { return }
        // A regular file is always ready.
        let events = code == ErrorCode.notPermitted ? events : PollEvents.invalid
        queue.submit { [self] in ended(events) }
    }

    /// Ends the wait and lets go of the descriptor, which may be closed. The handler is not called
    /// before the next `start`.
    package func cancel() {
        if state.value.isWaiting {
            state.value.isWaiting = false
            if !loop.readiness.cancelWait(by: self, for: descriptor) { state.value.ignored += 1 }
        }
        if state.value.hasStarted { loop.readiness.release(descriptor) }
        state.value.hasStarted = false
    }

    private func ended(_ events: UInt32) {
        if state.value.ignored > 0 {
            state.value.ignored -= 1
            return
        }
        state.value.isWaiting = false
        handler(events)
    }

    // MARK: on the loop

    func waitEnded(_ events: UInt32, _ context: Context) {
        queue.submit { [self] in ended(events) }
    }
}
