internal import Ring

/// Waits, once a call, until a stream's descriptor takes bytes again.
package final class WritableWatch: LaneOperation, @unchecked Sendable {
    // Safety: `isWaiting` belongs to the stream's queue; see the base class.
    private let descriptor: Int32
    private let queue: DispatchQueue
    private let home: Lane
    private let handler: @Sendable (Int32) -> Void
    @exclusivity(unchecked) package private(set) var isWaiting = false

    /// - Parameter handler: called on the stream's queue, once for each `start`, with the poll(2)
    ///   events or a negated errno (ECANCELED after `cancel`).
    package init(of stream: LaneStream, handler: @escaping @Sendable (Int32) -> Void) {
        descriptor = stream.descriptor
        queue = stream.queue
        home = stream.lane
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
        lane.watch(descriptor: descriptor, events: PollEvents.writable, token: token)
    }

    override func withdraw(from lane: Lane, token: UInt64) {
        lane.cancelWatch(descriptor: descriptor, token: token)
    }

    override func noteEnded(on lane: Lane) { lane.noteWatchEnded() }

    override func ended(result: Int32, _ context: Context) {
        // Else epoll would tell again and again that there is room.
        home.release(descriptor: descriptor)
        queue.submit { [self] in
            isWaiting = false
            handler(result)
        }
    }
}
