internal import LinuxPlatform

/// Waits until a descriptor is ready, once for each `start`. The caller then makes the system calls
/// itself. For descriptors that the library uses itself; connections and listeners have a
/// `DescriptorWatch`.
package final class ReadinessWait: @unchecked Sendable {
    // Safety: the mutable fields belong to the queue, the rest is constant.
    private let descriptor: Int32
    private let events: UInt32
    private let queue: DispatchQueue
    private let loop: EventLoop
    private let handler: @Sendable (UInt32) -> Void
    @exclusivity(unchecked) package private(set) var isWaiting = false
    @exclusivity(unchecked) private var hasStarted = false
    /// Number of ends on their way to the queue whose wait was cancelled.
    @exclusivity(unchecked) private var ignored = 0

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
        loop = Runtime.loopForNewSource()
    }

    // MARK: on the queue

    /// Starts to wait, unless a wait is already in progress. The object stays alive meanwhile.
    package func start() {
        guard !isWaiting else { return }
        let isFirst = !hasStarted
        // Before the wait begins: the handler may run before this returns.
        isWaiting = true
        hasStarted = true
        let reference = Unmanaged.passRetained(self)
        let wait = DescriptorWait(
            for: events, by: reference.toOpaque(), complete: ReadinessWait.completed)
        let code = loop.begin(wait, for: descriptor, isFirst: isFirst)
        if code == 0 { return }
        reference.release()
        // A regular file is always ready.
        let events = code == ErrorCode.notPermitted ? events : PollEvents.invalid
        queue.submit { [self] in ended(events) }
    }

    /// Ends the wait and lets go of the descriptor, which may be closed. The handler is not called
    /// before the next `start`.
    package func cancel() {
        if isWaiting {
            isWaiting = false
            let reference = Unmanaged.passUnretained(self)
            if loop.readiness.cancelWait(by: reference.toOpaque(), for: descriptor) {
                reference.release()
            } else {
                ignored += 1
            }
        }
        if hasStarted { loop.readiness.release(descriptor) }
        hasStarted = false
    }

    private func ended(_ events: UInt32) {
        if ignored > 0 {
            ignored -= 1
            return
        }
        isWaiting = false
        handler(events)
    }

    // MARK: on the loop

    private static func completed(
        _ object: UnsafeMutableRawPointer, _ events: UInt32, _ context: Context
    ) {
        let wait = Unmanaged<ReadinessWait>.fromOpaque(object).takeRetainedValue()
        wait.queue.submit { wait.ended(events) }
    }
}
