internal import Ring

/// Waits, once a call, until a descriptor is ready.
package final class ReadinessWatch: LaneOperation, @unchecked Sendable {
    // Safety: `isWaiting` belongs to the queue; see the base class.
    private let descriptor: Int32
    private let events: UInt32
    private let queue: DispatchQueue
    private let home: Lane
    private let handler: @Sendable (Int32) -> Void
    @exclusivity(unchecked) package private(set) var isWaiting = false

    /// - Parameters:
    ///   - queue: serial; everything happens there.
    ///   - events: what to wait for; see `PollEvents`.
    ///   - handler: called on the queue, once for each `start`, with the poll(2) events or a
    ///     negated errno (ECANCELED after `cancel`). The descriptor may be closed then.
    package convenience init(
        descriptor: Int32, queue: DispatchQueue, events: UInt32,
        handler: @escaping @Sendable (Int32) -> Void
    ) {
        self.init(descriptor, queue, events, on: Runtime.laneForNewSource(), handler)
    }

    /// Waits until a stream's descriptor takes bytes again.
    package convenience init(
        of stream: LaneStream, handler: @escaping @Sendable (Int32) -> Void
    ) {
        self.init(
            stream.descriptor, stream.queue, PollEvents.writable, on: stream.lane, handler)
    }

    private init(
        _ descriptor: Int32, _ queue: DispatchQueue, _ events: UInt32, on home: Lane,
        _ handler: @escaping @Sendable (Int32) -> Void
    ) {
        self.descriptor = descriptor
        self.queue = queue
        self.events = events
        self.home = home
        self.handler = handler
        super.init()
    }

    // MARK: on the queue

    package func start() {
        guard !isWaiting else { return }
        isWaiting = true
        begin(on: home, Context.current)
        lane = home
    }

    package func cancel() {
        if isWaiting { requestEnd(Context.current) }
    }

    // MARK: on the lane

    override func submit(to lane: Lane, token: UInt64) {
        lane.watch(descriptor: descriptor, events: events, token: token)
    }

    override func withdraw(from lane: Lane, token: UInt64) {
        lane.cancelWatch(descriptor: descriptor, token: token)
    }

    override func noteEnded(on lane: Lane) { lane.noteWatchEnded() }

    override func ended(result: Int32, _ context: Context) {
        // Else epoll would tell again and again that it is ready.
        home.release(descriptor: descriptor)
        queue.submit { [self] in
            isWaiting = false
            handler(result)
        }
    }
}

/// A watch of a stream.
package typealias WritableWatch = ReadinessWatch
