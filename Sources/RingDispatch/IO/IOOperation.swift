internal import LinuxPlatform
internal import Synchronization

/// One read or write of a channel, from its submission until its handler's last call has returned.
///
/// Whoever runs the operation (its `DescriptorSide`, or its `FileTransfer`) is one at a time, and
/// is the only one that touches what says so. Handler calls go to the handler's queue in order.
final class IOOperation: @unchecked Sendable {
    // Safety: see above; the rest is immutable, set before the operation is shared, or atomic.
    enum Direction: Sendable {
        case read
        case write
    }

    let direction: Direction
    let channel: IOChannel
    /// Bytes to transfer; `.max`: up to the end.
    let length: Int
    /// Counted from where the channel of a file begins; of no meaning for streams.
    let offset: Int64
    let limits: IOLimits
    private let queue: DispatchQueue
    private let handler: IOHandler
    /// Why the operation is to end early; 0: it is not. The first store (releasing) stays; the
    /// runner's load (acquiring) pairs with it.
    private let abortion = Atomic<Int32>(0)
    /// The interval is over: set by the timer, taken by the runner. A flag without other data.
    private let isCallDue = Atomic<Bool>(false)
    /// Weight of handler calls that were submitted and have not returned.
    private let unhandled = Atomic<Int>(0)
    /// The runner waits for `unhandled` to fall. Set before it looks at that once more; whoever
    /// lowers it looks at the flag after that: one of both notices (sequentially consistent).
    private let isHeldBack = Atomic<Bool>(false)
    /// Timers of the deadline and the interval; set before the operation is shared.
    @exclusivity(unchecked) var timers: [any DispatchSourceTimer] = []

    // MARK: the runner's
    /// The next one on the list of those that wait for their turn; the list's own.
    @exclusivity(unchecked) var next: IOOperation?
    /// Bytes that were read or written so far.
    @exclusivity(unchecked) private(set) var transferred = 0
    /// Bytes that were read, and wait until they are as many as the low water mark.
    @exclusivity(unchecked) private(set) var undelivered = DispatchData.empty
    /// All that is to be written.
    private let source: DispatchData
    /// Bytes that were written since the handler was told.
    @exclusivity(unchecked) private var unreported = 0
    /// Makes the calls one after the other where the handler's queue is concurrent.
    @exclusivity(unchecked) private var serial: DispatchQueue?

    /// A handler that lags behind by so much holds its operation back.
    static let mostUnhandled = 1 << 20
    /// What a call weighs at least.
    private static let leastWeight = 512

    init(
        _ direction: Direction, channel: IOChannel, offset: Int64, length: Int,
        data: DispatchData = .empty, limits: IOLimits, queue: DispatchQueue, handler: IOHandler
    ) {
        self.direction = direction
        self.channel = channel
        self.offset = offset
        self.length = length
        source = data
        self.limits = limits
        self.queue = queue
        self.handler = handler
        IOStatistics.liveOperations.wrappingAdd(1, ordering: .relaxed)
    }

    deinit { IOStatistics.liveOperations.wrappingSubtract(1, ordering: .relaxed) }

    // MARK: for the runner

    var remaining: Int { length - transferred }
    var isComplete: Bool { transferred == length }

    /// How many bytes a read may ask for now.
    var room: Int { min(remaining, max(1, limits.high - undelivered.count)) }

    /// Why to end early: an abortion of this operation, or the stop of its channel; 0: go on.
    var abortCode: Int32 {
        let code = abortion.load(ordering: .acquiring)
        return code == 0 && channel.isStopped ? ErrorCode.cancelled : code
    }

    /// Takes bytes over that were read.
    func append(_ data: DispatchData) {
        transferred += data.count
        if undelivered.count == 0 { undelivered = data } else { undelivered.append(data) }
    }

    /// The first pieces of what is left to write.
    func withUnwritten<Result>(
        _ body: (UnsafeBufferPointer<UnsafeRawBufferPointer>) -> Result
    ) -> Result {
        source.withBuffers(from: transferred, limit: GatherList.mostPieces, body)
    }

    /// How much a write may hand over at once.
    var mostWritten: Int { min(remaining, limits.high) }

    func noteWritten(_ count: Int) {
        transferred += count
        unreported += count
    }

    /// Tells the handler what the water marks say it is to be told.
    func deliverWhatIsDue(_ context: Context) {
        if direction == .write {
            if unreported >= limits.writeLow { report(context) }
            return
        }
        while undelivered.count >= limits.readLow { deliverPiece(context) }
    }

    /// Tells the handler because its interval is over.
    func deliverIfCallIsDue(_ context: Context) {
        guard isCallDue.load(ordering: .relaxed), isCallDue.exchange(false, ordering: .relaxed)
        else { return }
        let (size, low) =
            direction == .read
            ? (undelivered.count, limits.readLow) : (unreported, limits.writeLow)
        guard limits.isStrict || size >= low && size > 0 else { return }
        if direction == .write { report(context) } else { deliverPiece(context) }
    }

    private func deliverPiece(_ context: Context) {
        call(done: false, takePiece(), 0, context)
    }

    private func takePiece() -> DispatchData {
        let all = undelivered
        guard all.count > limits.high else {
            undelivered = .empty
            return all
        }
        undelivered = all.subdata(in: limits.high..<all.count)
        return all.subdata(in: 0..<limits.high)
    }

    private func report(_ context: Context) {
        unreported = 0
        call(done: false, unwritten, 0, context)
    }

    private var unwritten: DispatchData { source.subdata(in: transferred..<source.count) }

    /// The operation is over. Its handler gets what it has not seen, and is called a last time.
    /// - Parameters:
    ///   - code: why; 0: all was transferred, or the end was reached.
    func finish(_ code: Int32, _ context: Context) {
        for timer in timers { timer.cancel() }
        timers = []
        let last: DispatchData?
        if direction == .write {
            last = code == 0 ? nil : unwritten
        } else if channel.isConvenience {
            last = undelivered
        } else if code == 0 && isComplete {
            while undelivered.count > limits.high { deliverPiece(context) }
            last = undelivered
        } else {
            while undelivered.count > 0 { deliverPiece(context) }
            last = code == 0 ? .empty : nil
        }
        undelivered = .empty
        callLast(last, code, context)
    }

    // MARK: calls

    private func callLast(_ data: DispatchData?, _ code: Int32, _ context: Context) {
        guard channel.isConvenience else {
            call(done: true, data, code, context)
            return
        }
        // Called when the descriptor has been let go.
        channel.setCleanup(
            IOCleanup(queue: queue) { [handler] _ in handler.call(true, data, code) })
        end()
    }

    private func call(done: Bool, _ data: DispatchData?, _ code: Int32, _ context: Context) {
        let weight = max(data?.count ?? 0, IOOperation.leastWeight)
        if !done && direction == .read {
            unhandled.wrappingAdd(weight, ordering: .sequentiallyConsistent)
        }
        callQueue(done).submit { [self] in
            handler.call(done, data, code)
            if done { end() } else if direction == .read { noteHandled(weight) }
        }
    }

    private func callQueue(_ done: Bool) -> DispatchQueue {
        if queue.isSerial { return queue }
        if let serial { return serial }
        // A call that is the only one needs no order.
        if done { return queue }
        let serial = DispatchQueue(label: queue.label, target: queue)
        self.serial = serial
        return serial
    }

    private func noteHandled(_ weight: Int) {
        unhandled.wrappingSubtract(weight, ordering: .sequentiallyConsistent)
        guard isHeldBack.load(ordering: .sequentiallyConsistent), !isTooFarBehind,
            isHeldBack.exchange(false, ordering: .sequentiallyConsistent)
        else { return }
        channel.descriptor.wake(self, Context.current)
    }

    private var isTooFarBehind: Bool {
        unhandled.load(ordering: .sequentiallyConsistent) > IOOperation.mostUnhandled
    }

    /// Whether the runner has to wait until the handler catches up. It is woken then.
    func mustHoldBack() -> Bool {
        guard isTooFarBehind else { return false }
        isHeldBack.store(true, ordering: .sequentiallyConsistent)
        if isTooFarBehind { return true }
        // Whoever takes the flag back first goes on.
        return !isHeldBack.exchange(false, ordering: .sequentiallyConsistent)
    }

    /// Calls the handler of an operation that its channel does not take.
    func refuse(_ code: Int32) {
        let data = direction == .write ? source : nil
        queue.submit { [handler] in handler.call(true, data, code) }
    }

    private func end() { channel.operationEnded(self) }

    // MARK: from any thread

    /// Ends the operation with an error as soon as its runner sees it.
    func abort(_ code: Int32) {
        let isFirst = abortion.compareExchange(
            expected: 0, desired: code, ordering: .releasing
        ).exchanged
        if isFirst { channel.descriptor.sweep(Context.current) }
    }

    /// Has the runner tell the handler what there is.
    func requestCall() {
        isCallDue.store(true, ordering: .relaxed)
        channel.descriptor.wake(self, Context.current)
    }
}
