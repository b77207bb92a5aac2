internal import LinuxPlatform

/// Waits until a descriptor is ready, once for each `start`: for callers that make the system calls
/// themselves.
///
/// The owner keeps the object while it waits.
package final class ReadinessRegistration: LoopOperation, @unchecked Sendable {
    // Safety: `isWaiting` belongs to the queue; see the base class.
    private let descriptor: Int32
    private let events: UInt32
    private let queue: DispatchQueue
    private let home: EventLoop
    private let staysKnown: Bool
    private let handler: @Sendable (Int32) -> Void
    @exclusivity(unchecked) package private(set) var isWaiting = false

    /// - Parameters:
    ///   - queue: serial; runs the handler, and owns the object.
    ///   - events: the events to wait for; see `PollEvents`.
    ///   - staysKnown: whether the kernel keeps the registration between two waits, which makes the
    ///     next one cheaper. Then `forget` must call back before the descriptor is closed. Not for
    ///     room to write, which epoll would report all the time.
    ///   - handler: called on the queue, once for each `start`, with the poll(2) events or a
    ///     negated errno (ECANCELED after `cancel`). The descriptor may be closed then, unless it
    ///     stays known.
    package convenience init(
        descriptor: Int32, queue: DispatchQueue, events: UInt32, staysKnown: Bool = false,
        handler: @escaping @Sendable (Int32) -> Void
    ) {
        self.init(descriptor, queue, events, staysKnown, on: Runtime.loopForNewSource(), handler)
    }

    /// Waits until a stream's descriptor is writable.
    package convenience init(
        writable stream: LoopStream, handler: @escaping @Sendable (Int32) -> Void
    ) {
        self.init(
            stream.descriptor, stream.queue, PollEvents.writable, false, on: stream.loop, handler)
    }

    private init(
        _ descriptor: Int32, _ queue: DispatchQueue, _ events: UInt32, _ staysKnown: Bool,
        on home: EventLoop, _ handler: @escaping @Sendable (Int32) -> Void
    ) {
        self.descriptor = descriptor
        self.queue = queue
        self.events = events
        self.staysKnown = staysKnown
        self.home = home
        self.handler = handler
        super.init()
    }

    // MARK: on the queue

    /// Begins to wait, unless it is waiting already.
    package func start() {
        guard !isWaiting else { return }
        isWaiting = true
        loop = home
        begin(on: home, Context.current)
    }

    /// Ends the wait early. The handler is still called once.
    package func cancel() {
        if isWaiting { requestEnd(Context.current) }
    }

    /// Removes the kernel's registration of a descriptor that stays known. Not during a wait.
    /// - Parameter done: called on the queue.
    package func forget(_ done: @escaping @Sendable () -> Void) {
        precondition(!isWaiting, "a watch that is out cannot be forgotten")
        DescriptorRelease(descriptor) { [queue] _ in queue.submit(done) }
            .begin(on: home, Context.current)
    }

    // MARK: on the loop

    override func submit(to loop: EventLoop, token: UInt64) {
        loop.register(descriptor: descriptor, events: events, token: token)
    }

    override func withdraw(from loop: EventLoop, token: UInt64) {
        loop.cancelRegistration(descriptor: descriptor, token: token)
    }

    override func noteEnded(on loop: EventLoop) { loop.noteRegistrationEnded() }

    override func ended(result: Int32, _ context: Context) {
        if !staysKnown { home.release(descriptor: descriptor) }
        queue.submit { [self] in
            isWaiting = false
            handler(result)
        }
    }
}
