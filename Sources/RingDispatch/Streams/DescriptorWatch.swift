internal import Ring

/// Waits, once a call, until a descriptor is ready: for those who make the calls themselves.
///
/// Its owner keeps it while it waits. Before the descriptor is closed, `forget` has to have called
/// back.
package final class DescriptorWatch: LaneOperation, @unchecked Sendable {
    // Safety: `isWaiting` belongs to the queue; `result` is written by the lane before the block is
    // submitted, which reads it; see the base class.
    package enum Direction: Sendable {
        case read
        case write
    }

    private let descriptor: Int32
    private let queue: DispatchQueue
    private let direction: Direction
    private let home: Lane
    private let handler: @Sendable (Int32) -> Void
    @exclusivity(unchecked) package private(set) var isWaiting = false
    @exclusivity(unchecked) private var result: Int32 = 0
    /// Made once, for each end of a wait.
    @exclusivity(unchecked) private var tell: (@Sendable () -> Void)?

    /// - Parameter handler: called on the queue, once for each `start`, with the poll(2) events or
    ///   a negated errno (ECANCELED after `cancel`).
    package init(
        descriptor: Int32, _ direction: Direction, queue: DispatchQueue,
        handler: @escaping @Sendable (Int32) -> Void
    ) {
        self.descriptor = descriptor
        self.direction = direction
        self.queue = queue
        self.handler = handler
        home = Runtime.laneForNewSource()
        super.init()
        // Its owner keeps it.
        tell = { [unowned self] in
            isWaiting = false
            self.handler(result)
        }
    }

    // MARK: on the queue

    /// Begins to wait, unless it waits.
    package func start() {
        guard !isWaiting else { return }
        isWaiting = true
        lane = home
        begin(on: home, Context.current)
    }

    /// Ends the wait; the handler is told.
    package func cancel() {
        if isWaiting { requestEnd(Context.current) }
    }

    /// Has the kernel forget the descriptor, for good; not while it waits.
    /// - Parameter done: called on the queue.
    package func forget(_ done: @escaping @Sendable () -> Void) {
        precondition(!isWaiting, "a watch that is out cannot be forgotten")
        let release = DescriptorRelease(descriptor, queue, done)
        release.begin(on: home, Context.current)
    }

    // MARK: on the lane

    override func submit(to lane: Lane, token: UInt64) {
        let events = direction == .read ? PollEvents.readable : PollEvents.writable
        lane.watch(descriptor: descriptor, events: events, token: token)
    }

    override func withdraw(from lane: Lane, token: UInt64) {
        lane.cancelWatch(descriptor: descriptor, token: token)
    }

    override func noteEnded(on lane: Lane) { lane.noteWatchEnded() }

    override func ended(result: Int32, _ context: Context) {
        self.result = result
        // Else epoll would tell again and again that there is room.
        if direction == .write { home.release(descriptor: descriptor) }
        if let tell { queue.submit(tell) }
    }
}

/// Has a lane forget a descriptor.
private final class DescriptorRelease: LaneOperation, @unchecked Sendable {
    // Safety: immutable.
    private let descriptor: Int32
    private let queue: DispatchQueue
    private let done: @Sendable () -> Void

    init(_ descriptor: Int32, _ queue: DispatchQueue, _ done: @escaping @Sendable () -> Void) {
        self.descriptor = descriptor
        self.queue = queue
        self.done = done
        super.init()
    }

    override func begin(on lane: Lane) {
        lane.release(descriptor: descriptor)
        queue.submit(done)
    }
}
