internal import LinuxPlatform

/// Waits until a descriptor is ready, once for each `start`. The caller then makes the system calls
/// itself.
///
/// The object stays alive while it waits; see `LoopOperation`.
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
    ///   - queue: a serial queue, which runs the handler and owns the object.
    ///   - events: the events to wait for; see `PollEvents`.
    ///   - staysKnown: whether the kernel keeps the registration between two waits, which makes the
    ///     second wait cheaper. If so, call `forget` and wait for its callback before you close the
    ///     descriptor. Do not use it to wait for room to write: epoll would report that all the
    ///     time.
    ///   - handler: called on the queue, once for each `start`, with the poll(2) events or a
    ///     negated errno (ECANCELED after `cancel`). From then on you may close the descriptor,
    ///     unless `staysKnown` is true.
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

    /// Starts to wait, unless a wait is already in progress.
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

    /// Removes the kernel's registration, which `staysKnown` keeps. Do not call it during a wait.
    /// - Parameter done: called on the queue. From then on you may close the descriptor.
    package func forget(_ done: @escaping @Sendable () -> Void) {
        precondition(!isWaiting, "forget during a wait")
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
